package import WaybillThreads

/// Something that a role needs to do its work: whether it is there, since when, and if not, why.
///
/// Whoever uses it reports; a report that it is there holds for a while only, so that a thread that hangs does not leave a
/// good word behind. One lock a report; report once a batch or a turn, not for each notification.
package final class Condition: Sendable {
    fileprivate struct State {
        var lastSound: MonotonicTime?
        /// The same by the wall clock, in milliseconds since 1970: what is told of a silence is the same whenever it is asked.
        var lastSoundDate: Int64 = 0
        var cause: String?
        /// When it is tried again, where that is known.
        var retryAt: MonotonicTime?
        /// Since when nobody can ask for it; `nil` while somebody can.
        var unaskedSince: MonotonicTime?
        /// When it last changed, in milliseconds since 1970.
        var since: Int64
        /// Since when it was away before it came back, and when that was; `nil` where it never was.
        var recovery: (outage: Int64, time: MonotonicTime)?
    }

    /// Who is away again so soon has not been back: somebody tries again and again, and each try begins well.
    static let relapse = Duration.seconds(10)

    /// One word, such as `store`.
    package let name: String
    private let freshness: Duration
    private let pulse: ProcessPulse
    private let state: Guarded<State>

    /// - Parameters:
    ///   - name: one word that never changes; operators alert on it.
    ///   - freshness: how long a report that it is there holds.
    ///   - cause: why it is not there yet.
    ///   - pulse: tells in which time the process did not run, which counts against nobody.
    package init(name: String, freshness: Duration, cause: String, pulse: ProcessPulse = .shared) {
        self.name = name
        self.pulse = pulse
        self.freshness = freshness
        state = Guarded(State(cause: cause, since: WallClock.milliseconds()))
    }

    /// It is there.
    package func holds(now: MonotonicTime = .now()) {
        state.withLock { state in
            if state.cause != nil {
                state.recovery = state.lastSound == nil ? nil : (state.since, now)
                state.cause = nil
                state.since = WallClock.milliseconds()
            }
            state.lastSound = now
            state.lastSoundDate = WallClock.milliseconds()
        }
    }

    /// It is not there.
    ///
    /// - Parameters:
    ///   - cause: why, for a person, without tokens or secrets.
    ///   - retryAt: when it is tried again; who looks is told how long that is from then.
    ///   - now: this moment.
    package func fails(_ cause: String, retryAt: MonotonicTime? = nil, now: MonotonicTime = .now()) {
        state.withLock { state in
            if state.cause == nil { state.since = state.beginOfOutage(now: now, freshness: freshness, pulse) }
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
                    let length = MonotonicTime.now().duration(since: since)
                    state.lastSound = last.advanced(by: length)
                    state.lastSoundDate += Int64(length / .milliseconds(1))
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
            let age = state.age(now: now, pulse)
            guard age > freshness else { return HealthCheck(name: name, cause: nil, since: state.since) }
            let cause = "nothing heard of it for \(Int(age / .seconds(1))) s"
            return HealthCheck(name: name, cause: cause, since: state.beginOfSilence(now: now, pulse))
        }
    }
}

extension Condition.State {
    /// For how long nobody has said that it is there, though somebody could.
    fileprivate func age(now: MonotonicTime, _ pulse: ProcessPulse) -> Duration {
        lastSound.map { pulse.duration(since: $0, now: unaskedSince ?? now) } ?? .zero
    }

    /// Since when nobody has, by the wall clock; where the process stood still meanwhile, that much later.
    fileprivate func beginOfSilence(now: MonotonicTime, _ pulse: ProcessPulse) -> Int64 {
        guard let lastSound else { return lastSoundDate }
        let end = unaskedSince ?? now
        let stood = end.duration(since: lastSound) - pulse.duration(since: lastSound, now: end)
        return lastSoundDate + Int64(stood / .milliseconds(1))
    }

    /// Since when it is away that was there until now: a silence before was its beginning, and so was what is hardly over.
    fileprivate func beginOfOutage(now: MonotonicTime, freshness: Duration, _ pulse: ProcessPulse) -> Int64 {
        if age(now: now, pulse) > freshness { return beginOfSilence(now: now, pulse) }
        if let recovery, now.duration(since: recovery.time) < Condition.relapse { return recovery.outage }
        return WallClock.milliseconds()
    }

    fileprivate func nextAttempt(now: MonotonicTime) -> String {
        guard let retryAt else { return "" }
        guard now < retryAt else { return "; it is tried again at this moment" }
        let seconds = Int((retryAt.duration(since: now) / .seconds(1)).rounded(.up))
        return "; the next attempt is in \(seconds) s"
    }
}
