package import WaybillThreads

/// Something that a role needs to do its work: whether it is there, since when, and if not, why.
///
/// Whoever uses it reports; a report that it is there holds for a while only, so that a thread that hangs does not leave a
/// good word behind. One lock a report; report once a batch or a turn, not for each notification.
package final class Condition: Sendable {
    fileprivate struct State {
        var lastSound: MonotonicTime?
        var cause: String?
        /// When it is tried again, where that is known.
        var retryAt: MonotonicTime?
        /// Since when nobody can ask for it; `nil` while somebody can.
        var unaskedSince: MonotonicTime?
        /// When it last changed, in milliseconds since 1970.
        var since: Int64
    }

    /// One word, such as `store`.
    package let name: String
    private let freshness: Duration
    private let state: Guarded<State>

    /// - Parameters:
    ///   - name: one word that never changes; operators alert on it.
    ///   - freshness: how long a report that it is there holds.
    ///   - cause: why it is not there yet.
    package init(name: String, freshness: Duration, cause: String) {
        self.name = name
        self.freshness = freshness
        state = Guarded(State(cause: cause, since: WallClock.milliseconds()))
    }

    /// It is there.
    package func holds(now: MonotonicTime = .now()) {
        state.withLock { state in
            state.lastSound = now
            guard state.cause != nil else { return }
            state.cause = nil
            state.since = WallClock.milliseconds()
        }
    }

    /// It is not there.
    ///
    /// - Parameters:
    ///   - cause: why, for a person, without tokens or secrets.
    ///   - retryAt: when it is tried again; who looks is told how long that is from then.
    package func fails(_ cause: String, retryAt: MonotonicTime? = nil) {
        state.withLock { state in
            if state.cause == nil { state.since = WallClock.milliseconds() }
            state.cause = cause
            state.retryAt = retryAt
        }
    }

    /// Does something during which nobody can ask for it.
    ///
    /// The thread waits for something else, and that time does not count against it. Whether the thread comes back is its ``LoopWatch``'s business.
    package func unasked<Result, Failure>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        state.withLock { $0.unaskedSince = .now() }
        defer {
            state.withLock { state in
                if let since = state.unaskedSince, let last = state.lastSound {
                    state.lastSound = last.advanced(by: MonotonicTime.now().duration(since: since))
                }
                state.unaskedSince = nil
            }
        }
        return try work()
    }

    /// When it was last there; `nil` if it never was.
    ///
    /// *Thread:* any.
    package var lastSound: MonotonicTime? { state.withLock { $0.lastSound } }

    /// How it is now; any thread.
    package func check(now: MonotonicTime = .now()) -> HealthCheck {
        state.withLock { state in
            if let cause = state.cause {
                return HealthCheck(name: name, cause: cause + state.nextAttempt(now: now), since: state.since)
            }
            let age = state.lastSound.map { (state.unaskedSince ?? now).duration(since: $0) } ?? .zero
            guard age > freshness else { return HealthCheck(name: name, cause: nil, since: state.since) }
            let then = WallClock.milliseconds() - Int64(age / .milliseconds(1))
            return HealthCheck(name: name, cause: "nothing heard of it for \(Int(age / .seconds(1))) s", since: then)
        }
    }
}

extension Condition.State {
    fileprivate func nextAttempt(now: MonotonicTime) -> String {
        guard let retryAt else { return "" }
        guard now < retryAt else { return "; it is tried again at this moment" }
        let seconds = Int((retryAt.duration(since: now) / .seconds(1)).rounded(.up))
        return "; the next attempt is in \(seconds) s"
    }
}
