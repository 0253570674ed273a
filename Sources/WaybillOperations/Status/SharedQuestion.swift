import WaybillThreads

/// A question to a server that may hang, asked once for all who want to know at the same time.
///
/// It is asked on a thread of its own, which ends with the answer. Nobody waits longer than the patience counts from when it was
/// asked: who comes later while no answer is there hears of the silence at once. So a server that hangs costs one thread, however many
/// want to know, and however long it hangs.
final class SharedQuestion<Answer: Sendable>: Sendable {
    enum Reply: Sendable {
        case answer(Answer)
        /// None has come for so long.
        case silence(Duration)
    }

    private struct State: Sendable {
        /// The last answer, and when it was asked for.
        var last: (answer: Answer, asked: MonotonicTime)?
        /// Since when an answer is waited for; `nil` while nothing is asked.
        var asked: MonotonicTime?
        /// An answer to what was asked before then is out of date.
        var changed: MonotonicTime?
        var waiting: [Int: CheckedContinuation<Reply, Never>] = [:]
        var nextNumber = 0
    }

    /// What is to be done for somebody who wants to know.
    private enum Step {
        case tell(Reply)
        case wait(number: Int, asked: MonotonicTime, isFirst: Bool)
    }

    private let name: String
    private let patience: Duration
    private let freshness: Duration
    private let question: @Sendable () -> Answer
    private let clock = GiveUpClock()
    private let state = Guarded(State())

    /// - Parameters:
    ///   - name: of the thread.
    ///   - patience: how long an answer is waited for.
    ///   - freshness: how long one serves, from when it was asked for: who asks often costs the server no more than others.
    ///   - question: blocks until there is an answer.
    init(name: String, patience: Duration, freshness: Duration, _ question: @escaping @Sendable () -> Answer) {
        self.name = name
        self.patience = patience
        self.freshness = freshness
        self.question = question
    }

    /// The answer, a fresh one or the next; or since when there is none.
    func reply() async -> Reply {
        await withCheckedContinuation { continuation in
            let now = MonotonicTime.now()
            switch state.withLock({ step(continuation, now, &$0) }) {
            case .tell(let reply): continuation.resume(returning: reply)
            case .wait(let number, let asked, let isFirst):
                clock.at(asked.advanced(by: patience)) { [self] in giveUp(number, asked) }
                if isFirst { ask(asked) }
            }
        }
    }

    /// What was asked about has changed: who asks from now on hears of it, unless an answer is on its way already.
    func hasChanged() {
        state.withLock { $0.changed = .now() }
    }

    private func step(
        _ continuation: CheckedContinuation<Reply, Never>,
        _ now: MonotonicTime,
        _ state: inout State
    ) -> Step {
        let isFirst = state.asked == nil
        if isFirst, let last = state.last, now.duration(since: last.asked) < freshness,
            state.changed.map({ $0 < last.asked }) ?? true
        {
            return .tell(.answer(last.answer))
        }
        let asked = state.asked ?? now
        let waited = now.duration(since: asked)
        guard waited < patience else { return .tell(.silence(waited)) }
        state.asked = asked
        state.nextNumber += 1
        state.waiting[state.nextNumber] = continuation
        return .wait(number: state.nextNumber, asked: asked, isFirst: isFirst)
    }

    private func ask(_ asked: MonotonicTime) {
        do throws(ThreadError) {
            _ = try NamedThread.start(name: name) { [self] in
                let answer = question()
                tell(.answer(answer)) { $0.last = (answer, asked) }
            }
        } catch {
            // The next one tries again.
            tell(.silence(.zero)) { _ in }
        }
    }

    private func tell(_ reply: Reply, _ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.asked = nil
            defer { state.waiting.removeAll() }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: reply) }
    }

    private func giveUp(_ number: Int, _ asked: MonotonicTime) {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
        continuation?.resume(returning: .silence(MonotonicTime.now().duration(since: asked)))
    }
}
