import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillReceipts

/// Takes the notifications that nobody has acknowledged when their time has come, and says which of them are sent again.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limits.
struct Repeater {
    /// As many as one question about records and receipts takes with ease.
    static let pageSize = 50

    private let store: UnacknowledgedStore
    private let log: DeliveryLogReader
    private let receipts: ReceiptReader

    init(
        client: MongoClient,
        settings: ScheduleSettings,
        owner: String,
        skipped: @escaping (UnreadableFamily) -> Void = { _ in }
    ) {
        store = UnacknowledgedStore(
            client: client,
            database: settings.database,
            owner: owner,
            skipped: skipped
        )
        log = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: settings.database, retention: settings.retention),
            scope: .all
        )
        receipts = ReceiptReader(client: client, database: settings.database)
    }

    /// What is done about some families.
    struct Round {
        /// To be published at once.
        var repeats: [RepeatMessage] = []
        /// To be noted, whether the broker takes anything or not.
        var others: [(family: NotificationID, note: UnacknowledgedStore.Note)] = []
    }

    /// What nobody can read, and so takes.
    func unreadable() throws(MongoError) -> [UnreadableFamily] { try store.unreadable() }

    /// Claims those whose time has come.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: at most ``pageSize``.
    /// - Throws: what the store says.
    func claim(now: Int64) throws(MongoError) -> [UnacknowledgedStore.Claimed] {
        var claimed: [UnacknowledgedStore.Claimed] = []
        while claimed.count < Self.pageSize, let one = try store.claim(now: now) { claimed.append(one) }
        return claimed
    }

    /// Decides about families that were claimed.
    ///
    /// Receipts are read last of all, so that between the look and the push there is nothing but the push.
    ///
    /// - Parameters:
    ///   - claimed: which.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be done.
    /// - Throws: what the store says.
    func examine(_ claimed: [UnacknowledgedStore.Claimed], now: Int64) throws(MongoError) -> Round {
        let recorded = try log.recorded(claimed.map(\.last))
        let said = try receipts.receipts(of: claimed.flatMap(\.members))
        var round = Round()
        for one in claimed {
            let acknowledged = one.members.compactMap { said[$0]?.first { $0.event == .acknowledged } }
                .min { $0.receivedAt < $1.receivedAt }
            let decision = RepeatDecision.make(one, last: recorded[one.last], acknowledged: acknowledged, now: now)
            let family = one.notification.first
            switch decision {
            case .send(let number): round.repeats.append(RepeatMessage(one, number: number, now: now))
            case .wait(let time): round.others.append((family, .waits(until: time, isDoubtful: one.isDoubtful)))
            case .end(let end, let receipt): round.others.append((family, .ended(end, acknowledged: receipt)))
            }
        }
        return round
    }

    /// Notes what nothing is published of.
    func note(_ round: Round, now: Int64) throws(MongoError) { try store.note(round.others, now: now) }

    /// Notes that the broker has repeats.
    ///
    /// - Parameters:
    ///   - repeats: which.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable: they are published once more then, under the same ids.
    func notePublished(_ repeats: [RepeatMessage], now: Int64) throws(MongoError) {
        try store.note(
            repeats.map { one in
                (
                    family: one.member.first,
                    note: .published(number: one.member.number, next: now + Int64(one.interval) * 1000)
                )
            },
            now: now
        )
    }
}
