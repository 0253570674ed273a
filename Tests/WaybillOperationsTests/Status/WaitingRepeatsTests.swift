import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongoTestSupport
import WaybillReceipts
import WaybillThreads

@testable import WaybillOperations

/// Which families `waybill status` counts while no schedule runs, in a real store.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct WaitingRepeatsTests {
    private static let now: Int64 = 1_790_000_000_000

    private static func id(_ number: UInt64) -> NotificationID { NotificationID(high: 7, low: number) }

    private static func notification(_ number: UInt64) -> UnacknowledgedNotification {
        UnacknowledgedNotification(
            first: id(number),
            client: "acme",
            lane: "parcels",
            rule: RepeatRule(interval: 60, limit: 3),
            begins: now,
            ends: nil,
            message: UnacknowledgedNotification.Message(body: [1])
        )
    }

    private static func record(_ number: UInt64, batch: String, _ outcome: Outcome = .accepted) -> LogEntry {
        LogEntry(
            record: DeliveryRecord(
                id: id(number),
                deviceToken: Array("aa00".utf8)[...],
                outcome: outcome,
                statusCode: 200,
                reason: nil,
                date: now,
                batchID: batch,
                client: "acme",
                lane: "parcels",
                topic: "com.example.app",
                attempts: 1
            )
        )
    }

    /// One each that waits, has no record yet, was acknowledged, is of a cancelled batch, and ended as cancelled.
    @Test func whatWasAcknowledgedOrCancelledWaitsForNobody() throws {
        try TestDatabase.withDatabase { client, database in
            try UnacknowledgedWriter(client: client, database: database, retention: RetentionPolicy(default: .days(2)))
                .enter((1...5).map(Self.notification), now: Self.now)
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            let records = [
                Self.record(1, batch: "alarm"), Self.record(3, batch: "alarm"), Self.record(4, batch: "wrong"),
                Self.record(5, batch: "gone", .cancelled),
            ]
            try DeliveryLogWriter(client: client, options: options).write(records)
            func count(_ leases: [Lease] = []) throws -> WaitingRepeats {
                try WaitingRepeats(client, database, leases, now: Self.now)
            }
            #expect(try count() == WaitingRepeats(4))
            let receipts = ReceiptWriter(client: client, database: database, retention: .keep)
            #expect(
                try receipts.store([DeliveryReceipt(id: Self.id(3), event: .acknowledged, receivedAt: Self.now)]) == 1
            )
            #expect(try count() == WaitingRepeats(3))
            let source = OrderSource(name: "anna@push-1", date: WallClock.milliseconds())
            let order = Cancellation(batch: BatchName("wrong"), client: nil, source: source)
            #expect(try OrderWriter(client: client, database: database).cancel([order]) == nil)
            #expect(try count() == WaitingRepeats(2))
            // Nobody waits where somebody runs who sends them.
            #expect(try count([.sample(role: "schedule", "", seen: Self.now)]) == WaitingRepeats(0))
        }
    }
}
