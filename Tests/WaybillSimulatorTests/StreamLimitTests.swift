import Testing
import WaybillSimulator

@Suite struct StreamLimitTests {
    @Test func risesWithTheFirstGoodToken() {
        var limit = StreamLimit(initial: 1, regular: 1000)
        #expect(limit.answered(status: 403, tokenWasGood: false) == nil)
        #expect(limit.announced == 1)
        #expect(limit.answered(status: 410, tokenWasGood: true) == 1000)
        #expect(limit.answered(status: 200, tokenWasGood: true) == nil)
        #expect(limit.answered(status: 400, tokenWasGood: true) == nil)
        #expect(limit.announced == 1000)
    }

    @Test func mayFallAfterARefusal() {
        var limit = StreamLimit(initial: 1, regular: 500, fallsAfterRefusal: true)
        #expect(limit.answered(status: 200, tokenWasGood: true) == 500)
        #expect(limit.answered(status: 400, tokenWasGood: true) == 1)
        #expect(limit.answered(status: 410, tokenWasGood: true) == nil)
        #expect(limit.answered(status: 200, tokenWasGood: true) == 500)
    }

    @Test func aPinnedLimitStays() {
        var limit = StreamLimit(initial: 1, regular: 500)
        #expect(limit.pin(to: 3) == 3)
        #expect(limit.pin(to: 3) == nil)
        #expect(limit.answered(status: 200, tokenWasGood: true) == nil)
        #expect(limit.announced == 3)
    }
}
