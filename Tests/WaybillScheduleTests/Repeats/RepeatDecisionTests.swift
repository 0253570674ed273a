import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillReceipts

@testable import WaybillSchedule

/// What is done about an unacknowledged notification, by what is known of it.
struct RepeatDecisionTests {
    private static let begins: Int64 = 1_790_000_000_000
    private static let interval: Int64 = 60_000
    private static let first = NotificationID(high: 1, low: 2)
    private static let receipt = DeliveryReceipt(id: first, event: .acknowledged, receivedAt: begins + 5)

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        /// Repeats so far, of three.
        var number = 0
        /// When it is too late, after its beginning.
        var ends: Int64?
        var last: Outcome?
        /// When the last one's outcome was known, after its beginning.
        var recordedAt: Int64 = 0
        var isAcknowledged = false
        /// The time, after its beginning.
        var after = RepeatDecisionTests.interval
        let decision: RepeatDecision

        var testDescription: String { what }
    }

    private static let cases: [Case] = [
        Case(what: "the first was accepted an interval ago", last: .accepted, decision: .send(number: 1)),
        Case(what: "nobody knows whether it was taken", last: .unknown, decision: .send(number: 1)),
        Case(what: "the first was superseded an interval ago", last: .superseded, decision: .send(number: 1)),
        Case(what: "a repeat was superseded", number: 1, last: .superseded, decision: .send(number: 2)),
        Case(what: "the last repeat was superseded", number: 3, last: .superseded, decision: .end(.limit)),
        Case(what: "the second repeat", number: 1, last: .accepted, decision: .send(number: 2)),
        Case(what: "the last repeat", number: 2, last: .accepted, decision: .send(number: 3)),
        Case(what: "all were sent", number: 3, last: .accepted, decision: .end(.limit)),
        Case(
            what: "the last one may still be acknowledged",
            number: 3,
            last: .accepted,
            recordedAt: interval,
            after: interval + 1,
            decision: .wait(until: begins + 2 * interval)
        ),
        Case(
            what: "acknowledged",
            last: .accepted,
            isAcknowledged: true,
            decision: .end(.acknowledged, acknowledged: receipt)
        ),
        Case(
            what: "acknowledged, and all were sent",
            number: 3,
            last: .accepted,
            isAcknowledged: true,
            decision: .end(.acknowledged, acknowledged: receipt)
        ),
        Case(
            what: "acknowledged before its record was there",
            isAcknowledged: true,
            decision: .end(.acknowledged, acknowledged: receipt)
        ),
        Case(what: "too late", ends: interval, last: .accepted, decision: .end(.expired)),
        Case(what: "just not too late", ends: interval + 1, last: .accepted, decision: .send(number: 1)),
        Case(
            what: "too late before the next one is due",
            ends: interval + 5,
            last: .accepted,
            recordedAt: interval,
            decision: .wait(until: begins + interval + 5)
        ),
        Case(
            what: "accepted later than it was entered",
            last: .accepted,
            recordedAt: 20_000,
            decision: .wait(until: begins + 20_000 + interval)
        ),
        Case(what: "not recorded yet", decision: .wait(until: begins + interval + 15_000)),
        Case(what: "waits for another attempt", last: .deferred, decision: .wait(until: begins + interval + 15_000)),
        Case(
            what: "waits for its lane for days",
            last: .deferred,
            after: 6 * 86_400_000,
            decision: .wait(until: begins + 6 * 86_400_000 + 15_000)
        ),
        Case(what: "never recorded", after: 8 * 86_400_000, decision: .end(.lost)),
        Case(what: "its token is refused", last: .tokenInvalid, decision: .end(.tokenInvalid)),
        Case(what: "its batch is cancelled", last: .cancelled, decision: .end(.cancelled)),
        Case(what: "it was too late for the last one", last: .expired, decision: .end(.expired)),
        Case(what: "refused", last: .rejected, decision: .end(.rejected)),
        Case(what: "invalid", last: .invalid, decision: .end(.rejected)),
    ]

    @Test(arguments: cases) func decide(_ one: Case) {
        let notification = UnacknowledgedNotification(
            first: Self.first,
            lane: "parcels",
            rule: RepeatRule(interval: 60, limit: 3),
            begins: Self.begins,
            ends: one.ends.map { Self.begins + $0 },
            message: UnacknowledgedNotification.Message(body: [])
        )
        let decision = RepeatDecision.make(
            UnacknowledgedStore.Claimed(notification: notification, number: one.number, isDoubtful: false),
            last: one.last.map { RecordedDelivery(outcome: $0, attempts: 1, date: Self.begins + one.recordedAt) },
            acknowledged: one.isAcknowledged ? Self.receipt : nil,
            now: Self.begins + one.after
        )
        #expect(decision == one.decision)
    }
}
