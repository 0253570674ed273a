import Testing

@testable import WaybillOutbox

@Suite("When something is tried again")
struct RetryStepsTests {
    @Test("ten attempts in three days, each pause within a tenth of its step")
    func steps() {
        var generator = SystemRandomNumberGenerator()
        let seconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
        #expect(RetrySteps.attempts == 10)
        for (attempt, step) in zip(1..., seconds) {
            for _ in 0..<100 {
                let pause = RetrySteps.pause(after: attempt, using: &generator) ?? 0
                #expect((Int64(step * 900)...Int64(step * 1100)).contains(pause))
            }
        }
        #expect(RetrySteps.pause(after: 10, using: &generator) == nil)
        #expect(RetrySteps.pause(after: 11, using: &generator) == nil)
    }
}
