import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillReceipts
import WaybillThreads

/// How many critical notifications wait to be sent again until somebody acknowledges them.
///
/// Until `waybill schedule` looks at them, the documents of those that were acknowledged or cancelled say that somebody has
/// to look: they are left out here.
package struct WaitingRepeats: Hashable, Sendable {
    package var count: Int
    /// Whether fewer may wait: of some it is not known whether they were acknowledged or cancelled.
    package var isAtMost: Bool

    /// So many are looked at one by one, those that are due first.
    private static let mostExamined = 2000

    package init(_ count: Int, isAtMost: Bool = false) {
        self.count = count
        self.isAtMost = isAtMost
    }

    /// Asks the store, unless somebody runs who sends them.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - client: asks.
    ///   - database: where they are.
    ///   - leases: of all processes.
    ///   - now: milliseconds since 1970, by the store's clock; `nil` where it has not said.
    /// - Throws: what the store says.
    init(_ client: MongoClient, _ database: String, _ leases: [Lease], now: Int64?) throws(MongoError) {
        self.init(0)
        let time = now ?? WallClock.milliseconds()
        guard !leases.hasSchedule(now: time) else { return }
        let reader = FamilyReader(client: client, database: database)
        count = try reader.countUnderWay()
        guard count > 0 else { return }
        let examined = try reader.underWay(limit: Self.mostExamined)
        do throws(MongoError) {
            let waiting = try Self.waiting(of: examined, client, database)
            isAtMost = count > examined.count
            count = max(0, count - examined.count) + waiting
        } catch {
            guard error.code == .accessRefused || error.code == .timeLimitExceeded else { throw error }
            isAtMost = true
        }
    }

    private static func waiting(
        of families: [RepeatedFamily],
        _ client: MongoClient,
        _ database: String
    ) throws(MongoError) -> Int {
        let log = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
            scope: .all
        )
        var findings = try FamilyFindings(
            Dictionary(families.map { ($0.first, $0) }, uniquingKeysWith: { first, _ in first }),
            ReceiptReader(client: client, database: database),
            log
        )
        findings.cancellations = try OrderReader(client: client, database: database).orders().cancelled
        return findings.underWay
    }
}
