import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("How often a request is sent again")
struct ResendBudgetTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private static let patience = Duration.seconds(60)

    @Test("Certainly not sent: at once, as long as patience lasts")
    func notSent() {
        var budget = ResendBudget()
        let spent = [0, 0, 0, 0, 0, 59, 60].map { (seconds: Int) in
            budget.spend(
                on: .notSent(.goAway),
                resendsUnknown: false,
                at: Self.start.advanced(by: .seconds(seconds)),
                patience: Self.patience
            )
        }
        #expect(spent == [.now, .now, .now, .now, .now, .now, .never])
    }

    @Test("A refused stream: three times at once, then with growing pauses, as long as patience lasts")
    func refused() {
        var budget = ResendBudget()
        func spend(at seconds: Int) -> ResendBudget.Decision {
            let now = Self.start.advanced(by: .seconds(seconds))
            return budget.spend(
                on: .notSent(.refusedStream),
                isOfStream: true,
                resendsUnknown: false,
                at: now,
                patience: Self.patience
            )
        }
        let first = (0..<3).map { _ in spend(at: 0) }
        #expect(first == [.now, .now, .now])
        let paused = (0..<8).map { _ in spend(at: 10) }
        #expect(
            paused.prefix(3) == [.after(.milliseconds(50)), .after(.milliseconds(100)), .after(.milliseconds(200))]
        )
        #expect(paused.last == .after(.seconds(2)))
        let late = (spend(at: 59), spend(at: 60))
        #expect(late.0 == .after(.seconds(2)))
        #expect(late.1 == .never)
    }

    @Test("Unknown: at once, after one second, after five, and only with the caller's leave")
    func unknown() {
        var budget = ResendBudget()
        let spent = [false, true, true, false, true, true].map {
            budget.spend(on: .unknown(.timeout), resendsUnknown: $0, at: Self.start, patience: Self.patience)
        }
        #expect(spent == [.never, .now, .after(.seconds(1)), .never, .after(.seconds(5)), .never])
    }

    @Test(
        "An answer about the credentials: once, and only if that may help",
        arguments: [AnswerVerdict.tokenRefused(.expired), .tokenRefused(.throttled), .credentialsRefused]
    )
    func credentials(verdict: AnswerVerdict) {
        var budget = ResendBudget()
        let spent = [false, true, true].map { budget.spend(on: verdict, hasProspect: $0) }
        #expect(spent == [.never, .now, .never])
    }

    @Test("A connection at fault: twice; an answer that is the end: never")
    func verdicts() {
        for (verdict, expected) in [
            (AnswerVerdict.reconnect, [ResendBudget.Decision.now, .now, .never]), (.final, [.never, .never, .never]),
        ] {
            var budget = ResendBudget()
            let spent = (0..<3).map { _ in budget.spend(on: verdict, hasProspect: true) }
            #expect(spent == expected)
        }
    }

    @Test("What may have been taken once never ends as not sent")
    func truthful() {
        var job = RequestJob(
            batch: PendingBatch(Batches.batch(count: 1), received: MonotonicTime(nanoseconds: 0)),
            position: 0
        )
        #expect(
            job.end(.failed(.notSent(.unreachable(nil))), latency: 0).result
                == .failed(.notSent(.unreachable(nil)))
        )
        let trail = ResendTrail(queuedAt: MonotonicTime(nanoseconds: 5))
        trail.mayHaveBeenTaken = true
        trail.note(PushAttempt(date: 7, result: .failed(.unknown(.timeout))))
        job.trail = trail
        let end = job.end(.failed(.notSent(.unreachable(nil))), latency: 0)
        #expect(end.result == .failed(.unknown(.unreachable(nil))))
        #expect(end.history == trail.history)
        #expect(
            job.end(.answered(PushAnswer(status: 200)), latency: 0).result
                == .answered(PushAnswer(status: 200))
        )
    }
}
