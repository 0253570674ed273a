import DeliveryLog
import Testing
import WaybillAPNS
import WaybillCore

@testable import Dispatcher

struct SendPlanTests {
    private let now: Int64 = 2_000_000

    @Test func goodItemsAreSentAndTheOthersGoStraightToTheLog() throws {
        let ticket = try #require(Samples.ticket(Samples.mixed))
        let plan = SendPlan(ticket, lanes: Samples.lanes, now: now)
        #expect(plan.requests.map(\.index) == [0, 3])
        #expect(plan.requests[1].collapseID == .none)
        #expect(plan.requests[0].resendsUnknown)
        #expect(!plan.requests[1].resendsUnknown)
        #expect(plan.outcomes.map(\.position) == [1, 2])
        #expect(plan.outcomes.map(\.outcome) == [.invalid, .expired])
        #expect(plan.alreadyRecorded == 0)
    }

    @Test func aRedeliveredItemWithAFinalRecordIsSkippedAndItsEventIsPublishedAgain() throws {
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: true))
        ticket.remember(
            RecallFindings(own: [
                0: RecordedDelivery(
                    outcome: .tokenInvalid,
                    attempts: 1,
                    statusCode: 410,
                    reason: "Unregistered",
                    date: 5,
                    invalidSince: 4
                ),
                1: RecordedDelivery(outcome: .invalid, attempts: 0, date: 5),
                3: RecordedDelivery(outcome: .deferred, attempts: 1, statusCode: 503, reason: "Shutdown", date: 5),
            ])
        )
        let plan = SendPlan(ticket, lanes: Samples.lanes, now: now)
        #expect(plan.requests.map(\.index) == [3])
        #expect(plan.outcomes.map(\.position) == [2])
        #expect(plan.alreadyRecorded == 2)
        let event = try #require(plan.tokenEvents.first)
        #expect(plan.tokenEvents.count == 1)
        #expect(event.deviceToken == "aa01")
        #expect(event.verdict == .dead)
        #expect(event.invalidSince == 4)
        #expect(event.observedAt == 5)
        #expect(event.environment == .production)
    }

    @Test func recordsTellTheWholeStory() throws {
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: true))
        ticket.remember(
            RecallFindings(own: [
                3: RecordedDelivery(outcome: .deferred, attempts: 1, statusCode: 503, reason: "Shutdown", date: 5)
            ])
        )
        var first = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, statusCode: 200, date: 9)
        first.attempts = 1
        first.latency = 1_234_567
        let plain = RecordBuilder.makeEntry(for: first, lanes: Samples.lanes)
        #expect(plain.predecessor == nil)
        #expect(!plain.mayBeWritten)
        #expect(plain.record.isRepeat)
        #expect(plain.record.history.isEmpty)
        #expect(plain.record.latencyMilliseconds == 1.234)
        #expect(plain.record.message.map { String(decoding: $0, as: UTF8.self) } == "one")
        #expect(plain.record.topic == "com.example.parcels")
        #expect(plain.record.client == "acme")
        var second = ItemOutcome(ticket: ticket, position: 3, outcome: .accepted, statusCode: 200, date: 9)
        second.attempts = 2
        second.history = [AttemptRecord(date: 7, status: nil, reason: "timeout")]
        let again = RecordBuilder.makeEntry(for: second, lanes: Samples.lanes, isFirstTry: false)
        #expect(again.predecessor == LogEntry.Predecessor(attempts: 1, isRepeat: false))
        #expect(again.mayBeWritten)
        let retried = again.record
        #expect(retried.attempts == 3)
        #expect(retried.history.map(\.status) == [503, nil, 200])
        #expect(retried.message.map { String(decoding: $0, as: UTF8.self) } == #"{"aps":{"alert":"four"}}"#)
        let invalid = RecordBuilder.makeEntry(
            for: ItemOutcome(ticket: ticket, position: 1, outcome: .invalid, reason: "why", date: 9),
            lanes: Samples.lanes
        )
        // What it gave in the token's place, and where in the message.
        #expect(invalid.record.deviceToken.map { String(decoding: $0, as: UTF8.self) } == "zz")
        #expect(invalid.record.position == 1)
        #expect(!invalid.record.isRepeat)
    }
}
