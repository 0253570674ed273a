import Testing
import Threads

@testable import WaybillAPNS

@Suite("How often a request is sent again")
struct ResendBudgetTests {
    @Test("Certainly not sent: three times")
    func notSent() {
        var budget = ResendBudget()
        let spent = (0..<5).map { _ in budget.spend(on: .notSent("goaway"), resendsUnknown: false) }
        #expect(spent == [true, true, true, false, false])
    }

    @Test("Unknown: once, and only with the caller's leave")
    func unknown() {
        var budget = ResendBudget()
        let spent = [false, true, true].map { budget.spend(on: .unknown("timeout"), resendsUnknown: $0) }
        #expect(spent == [false, true, false])
    }

    @Test("An expired provider token: once, and only with a new one")
    func token() {
        var budget = ResendBudget()
        let spent = [false, true, true].map { budget.spend(on: .providerTokenExpired, hasNewToken: $0) }
        #expect(spent == [false, true, false])
    }

    @Test("A connection at fault: twice; every other answer: never")
    func verdicts() {
        for verdict in APNSVerdict.allCases where verdict != .providerTokenExpired {
            var budget = ResendBudget()
            let spent = (0..<3).map { _ in budget.spend(on: verdict, hasNewToken: true) }
            #expect(spent == (verdict == .reconnect ? [true, true, false] : [false, false, false]))
        }
    }

    @Test("What may have been taken once never ends as not sent")
    func truthful() {
        var job = RequestJob(
            batch: BatchInHand(Fixture.batch(count: 1), received: MonotonicTime(nanoseconds: 0)),
            position: 0
        )
        #expect(job.outcome(.failed(.notSent("unreachable")), latency: 0).result == .failed(.notSent("unreachable")))
        let trail = ResendTrail(queuedAt: MonotonicTime(nanoseconds: 5))
        trail.mayHaveBeenTaken = true
        trail.history = [APNSAttempt(date: 7, result: .failed(.unknown("timeout")))]
        job.trail = trail
        let outcome = job.outcome(.failed(.notSent("unreachable")), latency: 0)
        #expect(outcome.result == .failed(.unknown("unreachable")))
        #expect(outcome.history == trail.history)
        #expect(
            job.outcome(.answered(APNSAnswer(status: 200)), latency: 0).result == .answered(APNSAnswer(status: 200))
        )
    }
}
