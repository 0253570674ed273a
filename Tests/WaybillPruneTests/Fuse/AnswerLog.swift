import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillThreads

/// Plays the dispatcher: records answers with their statistics, and makes the events of those that are about tokens.
final class AnswerLog {
    let options: DeliveryLogOptions
    private let store: RegistryStore
    private let ledger: StatisticsLedger
    private var tally = StatisticsTally()
    private var number: UInt64 = 0

    /// - Parameters:
    ///   - store: where all of it is.
    ///   - pace: how often it writes statistics, as it says; the tests say when it does.
    /// - Throws: what the store says.
    init(_ store: RegistryStore, pace: StatisticsPace = StatisticsPace()) throws {
        self.store = store
        ledger = StatisticsLedger(pace: pace)
        options = DeliveryLogOptions(database: store.database, retention: RetentionPolicy(default: .keep))
        _ = try store.pool.withClient { (client) throws(MongoError) in
            try FuseIndexes.ensure(client: client, database: store.database)
                + StatisticsIndexes.ensure(client: client, database: store.database)
        }
    }

    /// One answer.
    struct Answer {
        var token: String
        /// What the push service says of it: 200, 400 or 410.
        var status = 200
        var lane = "parcels"
        /// Milliseconds since 1970.
        var date = WallClock.milliseconds()
        /// `nil`: that of the app of all others.
        var topic: String?
    }

    /// Records answers; what was counted of them is written, too, unless a dispatcher is slow.
    ///
    /// - Returns: the events, in the order of the answers.
    @discardableResult
    func record(_ answers: [Answer], countsLater: Bool = false) throws -> [InvalidTokenEvent] {
        let events = answers.map(event)
        let records = zip(answers, events).map { Self.record($0, $1) }
        try store.pool.withClient { (client) throws(MongoError) in
            let statistics = StatisticsWriter(client: client, database: store.database, ledger: ledger)
            let reservation = ledger.reserve(Set(records.map { StatisticsMinute($0) }))
            try statistics.open(reservation)
            tally.begin(count: records.count)
            let result = try DeliveryLogWriter(client: client, options: options).write(count: records.count) {
                tally.note(records[$0], at: $0)
                return LogEntry(record: records[$0])
            }
            let doubtful = tally.count(result) { _ in false }
            ledger.settle(reservation, tally, doubtful: doubtful)
            if !countsLater { try statistics.flush() }
        }
        return zip(answers, events).filter { $0.0.status != 200 }.map(\.1)
    }

    /// Writes what was counted and not written yet.
    func count() throws {
        try store.pool.withClient { (client) throws(MongoError) in
            try StatisticsWriter(client: client, database: store.database, ledger: ledger).flush()
        }
    }

    private func event(_ answer: Answer) -> InvalidTokenEvent {
        var event =
            answer.status == 400 ? RemovalCases.suspect(token: answer.token) : RemovalCases.dead(token: answer.token)
        number += 1
        // The minute of a record is told by its key, whose first 48 bits are milliseconds.
        event.notificationID = NotificationID(high: UInt64(answer.date) << 16, low: number)
        event.observedAt = answer.date
        event.lane = answer.lane
        if let topic = answer.topic { event.topic = topic }
        if answer.status == 410 { event.invalidSince = answer.date }
        return event
    }

    private static func record(_ answer: Answer, _ event: InvalidTokenEvent) -> DeliveryRecord {
        DeliveryRecord(
            id: event.notificationID,
            deviceToken: Array(event.deviceToken.utf8)[...],
            outcome: answer.status == 200 ? .accepted : .tokenInvalid,
            statusCode: answer.status,
            reason: answer.status == 200 ? nil : event.reason,
            date: answer.date,
            batchID: event.batchID,
            client: event.client,
            lane: answer.lane,
            topic: event.topic,
            attempts: 1,
            invalidSince: answer.status == 410 ? answer.date : nil
        )
    }
}
