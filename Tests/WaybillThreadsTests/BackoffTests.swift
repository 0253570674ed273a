import Testing

@testable import WaybillThreads

struct BackoffTests {
    @Test func pausesDoubleWithinTheirJitterUpToTheLast() {
        for _ in 0..<100 {
            var backoff = Backoff(first: .milliseconds(100), last: .milliseconds(700))
            for length in [100, 200, 400, 700, 700] {
                let pause = backoff.takePause()
                #expect(pause >= .milliseconds(length) / 2 && pause <= .milliseconds(length))
            }
            backoff.reset()
            let again = backoff.takePause()
            #expect(again <= .milliseconds(100))
        }
    }

    @Test func aSleepLastsUntilItsEndOrUntilTheConditionHolds() {
        let start = MonotonicTime.now()
        NamedThread.sleep(for: .milliseconds(30)) { false }
        #expect(MonotonicTime.now() >= start.advanced(by: .milliseconds(30)))
        var asked = 0
        NamedThread.sleep(for: .seconds(3600)) {
            asked += 1
            return asked == 2
        }
        #expect(asked == 2)
    }
}
