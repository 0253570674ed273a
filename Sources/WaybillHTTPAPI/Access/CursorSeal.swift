import WaybillAccounts
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillTLS
import WaybillThreads

/// Gives the cursors of searches a form in which nothing can be read or tried.
///
/// A position names the place in an index where a page ended, and that may be a record of somebody else: its apns-id, or the name
/// of a part of a batch, would be told to a key for some clients; and one that could be made up would ask, by whether the search
/// goes on, what lies there. So whoever carries a cursor can neither read it nor make one: it is sealed with a key that only the
/// installation's own processes know. ``WaybillDeliveryLog/DeliveryPosition`` binds the position to its search and to the clients
/// of its key: another search, or a key for other clients, is refused it.
///
/// The key is made once and kept in the store, so that each `serve` reads the cursors of the others.
final class CursorSeal: Sendable {
    private let database: String
    private let store: StoreWorkers
    private let purpose: StaticString
    private let seal = Guarded<Seal?>(nil)

    /// - Parameters:
    ///   - database: where the key is.
    ///   - store: asks for it, the first time.
    ///   - purpose: what is sealed; what was sealed for another purpose is not opened.
    init(database: String, store: StoreWorkers, purpose: StaticString = "waybill cursor") {
        self.database = database
        self.store = store
        self.purpose = purpose
    }

    /// The seal; asks the store until it has been told the key.
    ///
    /// - Throws: ``Problem`` when the store does not say.
    func ready(_ request: APIRequest) async throws(Problem) -> Seal {
        try await ready(until: request.context.deadline, for: request.caller.key.id)
    }

    /// The seal; asks the store until it has been told the key.
    ///
    /// - Parameters:
    ///   - deadline: when the caller gives up.
    ///   - party: whose question it is.
    /// - Returns: the seal.
    /// - Throws: ``Problem`` when the store does not say.
    func ready(until deadline: MonotonicTime, for party: String) async throws(Problem) -> Seal {
        if let seal = seal.withLock({ $0 }) { return seal }
        let database = database
        let key = try await store.ask(until: deadline, for: party) { client throws(MongoError) in
            try SharedSecret(client: client, database: database).key(.cursors, now: WallClock.milliseconds())
        }
        let new = Seal(key: key, purpose: purpose)
        seal.withLock { $0 = new }
        return new
    }
}

extension Seal {
    /// A position as a cursor: URL-safe.
    func cursor(_ position: DeliveryPosition) -> String { Base64URL.encode(close(Array(position.text.utf8))) }

    /// The text of the position in a cursor; `nil` for any other text.
    func position(_ cursor: String) -> String? {
        Base64URL.decode(cursor).flatMap(open).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
