import WaybillDeviceRegistry
import WaybillMongo
import WaybillThreads

/// What is needed to deal with events and fuses in one go: a client of the store, and one time for all of it.
struct FuseWork {
    let client: MongoClient
    let database: String
    let store: FuseStore
    let events: TokenEvents
    /// Milliseconds since 1970.
    let now = WallClock.milliseconds()

    init(_ client: MongoClient, _ database: String) {
        self.client = client
        self.database = database
        store = FuseStore(client: client, database: database)
        events = TokenEvents(client: client, database: database)
    }

    /// The fuses that have ever blown, as they stand in the store now.
    func fuses() throws(MongoError) -> [FuseName: Fuse] {
        Dictionary(try store.fuses().map { ($0.name, $0) }) { one, _ in one }
    }

    func answers(of lane: String) -> LaneAnswers { LaneAnswers(client: client, database: database, lane: lane) }
}
