import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillMongo

/// What the fuses of prune have done with the events of records.
struct FuseFindings {
    private let fuses: [FuseName: Fuse]
    private let standings: [TokenEvents.Standing]
    private let holdsDigests: Bool
    /// Of so many records the events are asked for in one question.
    private static let mostAtOnce = 100

    /// Asks the store: for the events only where a fuse has ever blown.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of both questions.
    ///
    /// - Parameters:
    ///   - records: those with an event.
    ///   - client: the store.
    ///   - options: where it is, and how the log holds tokens.
    /// - Throws: what the store cannot be read for.
    init(of records: [LoggedDelivery], client: MongoClient, options: DeliveryLogOptions) throws(MongoError) {
        let holdsDigests = if case .digest = options.tokens { true } else { false }
        var fuses: [Fuse] = []
        var standings: [TokenEvents.Standing] = []
        if !records.isEmpty { fuses = try FuseStore(client: client, database: options.database).fuses() }
        if !fuses.isEmpty {
            let events = TokenEvents(client: client, database: options.database)
            let sent = records.compactMap(\.sentID)
            for start in stride(from: 0, to: sent.count, by: Self.mostAtOnce) {
                standings += try events.standing(of: Array(sent[start..<min(start + Self.mostAtOnce, sent.count)]))
            }
        }
        self.init(fuses, standings, holdsDigests: holdsDigests)
    }

    /// Asks the store for the fuses alone, which tell of groups of records.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limit of one question.
    ///
    /// - Throws: what the store cannot be read for.
    init(client: MongoClient, database: String) throws(MongoError) {
        self.init(try FuseStore(client: client, database: database).fuses(), [], holdsDigests: false)
    }

    init(_ fuses: [Fuse] = [], _ standings: [TokenEvents.Standing] = [], holdsDigests: Bool = false) {
        self.fuses = Dictionary(fuses.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.standings = standings
        self.holdsDigests = holdsDigests
    }

    /// What a fuse has done with the event of a record, or will do.
    ///
    /// - Parameter record: one with an event.
    /// - Returns: `nil` where no fuse has doubted it.
    func fate(of record: LoggedDelivery) -> FuseFate? {
        guard let id = record.sentID else { return nil }
        let token = holdsDigests ? nil : record.deviceToken
        let standing = standings.first { $0.isOf(id, token: token) }
        guard let name = standing?.name ?? Self.name(of: record), let fuse = fuses[name] else { return nil }
        return FuseFate(standing?.state, fuse, observedAt: record.date)
    }

    /// What a fuse has done with the events of a group of records, or will do, by the last of them; `nil` where none has doubted it.
    func fate(of group: DeliveryGroup) -> FuseFate? {
        fuse(of: group).flatMap { FuseFate(nil, $0, observedAt: group.last) }
    }

    /// The fuse of which a person has released the events of a group, by the last of them; `nil` where nobody has.
    func released(_ group: DeliveryGroup) -> FuseName? {
        guard let fuse = fuse(of: group), fuse.blow(at: group.last, .released) != nil else { return nil }
        return fuse.name
    }

    private func fuse(of group: DeliveryGroup) -> Fuse? {
        guard group.outcome == Outcome.tokenInvalid.rawValue, let lane = group.lane, let topic = group.topic else {
            return nil
        }
        return fuses[FuseName(lane: lane, app: FuseName.app(ofTopic: topic))]
    }

    /// The fuse that an event will be for which prune has not put down.
    private static func name(of record: LoggedDelivery) -> FuseName? {
        guard let lane = record.lane, let topic = record.topic else { return nil }
        return FuseName(lane: lane, app: FuseName.app(ofTopic: topic))
    }
}
