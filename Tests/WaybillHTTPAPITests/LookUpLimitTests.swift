import Testing

@testable import WaybillHTTPAPI

struct LookUpLimitTests {
    @Test func aSuspectGetsInMoreSlowlyAndStillDoes() {
        var limit = LookUpLimit()
        let first = (0..<4).map { _ in limit.enter("a", isSuspect: true) }
        #expect(first == [true, true, false, false])
        // Another address is not held up by it.
        let others = [limit.enter("b", isSuspect: true), limit.enter("c", isSuspect: false)]
        #expect(others == [true, true])
        limit.leave("a")
        let next = (0..<2).map { _ in limit.enter("a", isSuspect: true) }
        #expect(next == [true, false])
    }

    @Test func allTogetherAreBoundedAndSuspectsFirst() {
        var limit = LookUpLimit()
        let granted = (0..<60).map { limit.enter("\($0)", isSuspect: false) }
        #expect(granted.count(where: \.self) == 48)
        limit.leave("0")
        let suspect = limit.enter("suspect", isSuspect: true)
        let others = (0..<2).map { _ in limit.enter("other", isSuspect: false) }
        #expect(!suspect)
        #expect(others == [true, false])
    }
}
