import Testing
import WaybillCore

@testable import WaybillMessages

/// What a retry says of its items' waits is read as it was written; what cannot be read is left out.
struct LaneWaitTextTests {
    @Test func roundTrip() {
        let waits = LaneWait.Reason.allCases.enumerated().map { number, reason in
            LaneWait(reason, from: Int64(number), until: (1 << 48) - 1, times: number + 1)
        }
        #expect([LaneWait](headerText: waits.headerText) == waits)
        #expect([LaneWait(.retryAfter, from: 5, until: 7, times: 3)].headerText == "retry_after/5/7/3")
        #expect([LaneWait(.paused, from: 5)].headerText == "")
    }

    @Test(arguments: [
        "", ",", "paused", "paused/1/2", "paused/1/2/3/4", "paused/2/1/1", "paused/-1/2/1", "paused/1/2/0",
        "paused/1/2/-1",
        "paused/1/281474976710656/1", "paused/1/2/1000001", "napping/1/2/1", "paused/1/2/x", "paused/1//1",
        "paused/99999999999999999999/2/1",
    ])
    func whatIsUnreadableIsLeftOut(text: String) {
        #expect([LaneWait](headerText: text).isEmpty)
        #expect([LaneWait](headerText: text + ",slow/1/2/1") == [LaneWait(.slow, from: 1, until: 2)])
    }

    @Test func noMoreAreReadThanAreWritten() {
        let text = repeatElement("slow/1/2/1", count: 1000).joined(separator: ",")
        #expect([LaneWait](headerText: text).count == [LaneWait].limit)
    }
}
