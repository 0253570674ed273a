import Testing
import WaybillAMQP
import WaybillCore
import WaybillThreads

@testable import WaybillDispatcher

struct RefusedRecordsTests {
    @Test func aRefusedRecordIsTriedAgainWithGrowingPausesAndThenGivenUp() throws {
        let message = try #require(Samples.message(Samples.mixed))
        var records = RefusedRecords()
        var now = MonotonicTime.now()
        var outcome = ItemOutcome(message: message, position: 0, outcome: .accepted, date: 9, attempts: 1)
        #expect(records.nextDue == nil)
        for pause in [500, 1_000, 2_000, 4_000] {
            let isKept = records.refused(outcome, now: now)
            #expect(isKept)
            let due = now.advanced(by: .milliseconds(pause))
            #expect(records.nextDue == due)
            let early = records.takeDue(now: now.advanced(by: .milliseconds(pause - 1)))
            #expect(early.isEmpty)
            let taken = records.takeDue(now: due)
            #expect(taken.count == 1)
            outcome = try #require(taken.first)
            now = due
        }
        #expect(outcome.refusals == RefusedRecords.tries - 1)
        let isKept = records.refused(outcome, now: now)
        #expect(!isKept)
        #expect(records.nextDue == nil)
    }

    @Test func othersAreNotHeldUp() throws {
        let message = try #require(Samples.message(Samples.mixed))
        let start = MonotonicTime.now()
        var records = RefusedRecords()
        var late = ItemOutcome(message: message, position: 0, outcome: .accepted, date: 9)
        late.refusals = 2
        _ = records.refused(late, now: start)
        _ = records.refused(ItemOutcome(message: message, position: 3, outcome: .accepted, date: 9), now: start)
        let due = records.takeDue(now: start.advanced(by: .milliseconds(500)))
        #expect(due.map(\.position) == [3])
        #expect(records.nextDue == start.advanced(by: .milliseconds(2_000)))
    }

    /// What goes to the rejected queue holds one notification, the server's words, and no token of its record's in them.
    @Test func theMessageForTheRejectedQueue() throws {
        let message = try #require(Samples.message(Samples.mixed, properties: AMQPProperties(messageID: "m-1")))
        let outcome = ItemOutcome(message: message, position: 3, outcome: .accepted, date: 9, attempts: 1)
        let publication = Publication.refusedRecord(outcome, reason: "Document failed validation (121)")
        #expect(publication.positions.count == 1)
        guard case .rejectedBody(let body) = publication.content else {
            Issue.record("not for the rejected queue")
            return
        }
        #expect(body.reason == "record_refused")
        #expect(body.published.messageID == "m-1")
        #expect(
            body.published[header: "x-waybill-detail"]?.text
                == "the store refuses the record of outcome accepted: Document failed validation (121)"
        )
        let text = String(decoding: body.body, as: UTF8.self)
        #expect(text.contains("aa04") && !text.contains("aa01") && text.contains(#""batch_id":"mixed""#))
    }
}
