import Testing
import WaybillThreads

@testable import WaybillPushTransport

/// Requests that wait for the time that an answer asks for.
@Suite struct LastAnswerTests {
    static let busy = PushAnswer(status: 503, reason: "UNAVAILABLE", retryAfter: .seconds(2))

    static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    /// A request that was answered 503 in its second attempt, after a refused token.
    static func job(_ owner: BatchOwner = BatchOwner(), position: Int = 0) -> RequestJob {
        let batch = PendingBatch(KeptBatch(number: 0, owner: owner, count: 3), received: time(0))
        var job = RequestJob(batch: batch, position: position)
        job.attempts = 2
        let trail = ResendTrail(queuedAt: time(3))
        trail.note(PushAttempt(date: 5, result: .answered(PushAnswer(status: 401))))
        trail.note(LastAnswer(answer: busy, latency: 7, body: [1, 2], headers: nil), date: 9)
        job.trail = trail
        return job
    }

    /// The answer is the request's end, and stands in the history of no other.
    @Test(arguments: [PushFailureCause.parked, .cancelled, .closed])
    func withdrawnItEndsWithItsAnswer(cause: PushFailureCause) {
        let end = Self.job().end(.failed(.notSent(cause)), latency: 0)
        #expect(end.result == .answered(Self.busy))
        #expect(end.latency == 7 && end.body == [1, 2] && end.attempts == 2)
        #expect(end.history == [PushAttempt(date: 5, result: .answered(PushAnswer(status: 401)))])
    }

    @Test(arguments: [PushFailureCause.expired, .unreachable(nil), .credentials(nil)])
    func whatKeepsItFromBeingSentIsItsEnd(cause: PushFailureCause) {
        let end = Self.job().end(.failed(.notSent(cause)), latency: 0)
        #expect(end.result == .failed(.notSent(cause)))
        #expect(end.history.count == 2)
    }

    @Test func afterAnotherAttemptItIsHistory() {
        let job = Self.job()
        job.trail?.note(PushAttempt(date: 11, result: .failed(.notSent(.refusedStream))))
        let end = job.end(.failed(.notSent(.parked)), latency: 0)
        #expect(end.result == .failed(.notSent(.parked)))
        #expect(end.history.map(\.date) == [5, 9, 11])
    }

    @Test func theLimitOfWaitsIsTheRequests() {
        var budget = ResendBudget()
        let spent = (0..<4).map { _ in budget.spendWait(of: 2) }
        #expect(spent == [true, true, false, false])
        #expect(budget.waits == 2)
        var none = ResendBudget()
        let isLeft = none.spendWait(of: 0)
        #expect(!isLeft)
    }

    @Test func onlyWhatWaitsForItsAnswerIsTakenOut() throws {
        var queue = LaneQueue()
        let owner = BatchOwner()
        var other = Self.job(owner, position: 1)
        other.trail = ResendTrail(queuedAt: Self.time(3))
        queue.pause(Self.job(owner), until: Self.time(5))
        queue.pause(other, until: Self.time(9))
        #expect(queue.paused == 2 && queue.count == 2 && queue.ready == 0)
        let answered = queue.takeAnswered().map(\.position)
        #expect(answered == [0] && queue.paused == 1)
        #expect(queue.nextResumption == Self.time(9))
        let none = queue.takeAnswered()
        #expect(none.isEmpty)
        queue.pause(Self.job(owner, position: 2), until: Self.time(5))
        let owned = queue.removeAll(where: { (other: any PushRequestOwner) in other === owner }).map(\.position)
            .sorted()
        #expect(owned == [1, 2] && queue.isEmpty)
    }
}
