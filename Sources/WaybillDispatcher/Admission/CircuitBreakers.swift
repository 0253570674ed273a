import Synchronization
import WaybillCore
import WaybillFleet
import WaybillTelemetry
import WaybillThreads

/// A circuit breaker for each lane: one that the provider refuses as such, or that cannot be reached, is parked, alone.
///
/// What a lane's breaker does is ``CircuitBreaker``; here the threads share them, under one lock, and get the time.
final class CircuitBreakers: Sendable {
    private let lanes: Guarded<[CircuitBreaker]>
    /// Whether there has ever been an order: nearly always not, and then asking costs no lock.
    private let hasOrders = Atomic(false)

    init(laneCount: Int, now: MonotonicTime = .now()) {
        let breaker = CircuitBreaker(now: now, date: WallClock.milliseconds())
        lanes = Guarded(Array(repeating: breaker, count: laneCount))
    }

    /// Since when a lane sends, or has been parked.
    func history(lane: Int) -> (since: Int64, isParked: Bool) { lanes.withLock { $0[lane].history } }

    /// Goes on with what the configuration before this one knew of a lane: one that is refused again has been since then.
    func inherit(_ history: (since: Int64, isParked: Bool), lane: Int) {
        lanes.withLock { $0[lane].inherit(history) }
    }

    /// Whether a message of the lane may be sent now; see ``CircuitBreaker/admit(isRepeat:now:)``.
    func admit(lane: Int, isRepeat: Bool = false, now: MonotonicTime) -> CircuitBreaker.Admission {
        lanes.withLock { $0[lane].admit(isRepeat: isRepeat, now: now) }
    }

    /// As ``CircuitBreaker/silence(now:)``.
    func silence(lane: Int, now: MonotonicTime) -> Duration? { lanes.withLock { $0[lane].silence(now: now) } }

    /// The probe has nothing to find out with: the next message is the next one.
    ///
    /// Its items have expired, or are recorded already, or what came of them says nothing about the lane.
    func returnProbe(lane: Int, now: MonotonicTime) { lanes.withLock { $0[lane].returnProbe(now: now) } }

    /// Whether the lane is parked, or only a probe of it is under way.
    func isParked(lane: Int) -> Bool {
        reason(lane: lane) != nil
    }

    /// What to show of a lane: whether it sends, since when, and if not, why and until when.
    func show(lane: Int, in status: inout LaneStatus, now: MonotonicTime = .now()) {
        lanes.withLock { $0[lane].show(in: &status, now: now, date: WallClock.milliseconds()) }
    }

    /// Why the lane is parked; `nil` while the breaker is closed.
    func reason(lane: Int) -> String? { lanes.withLock { $0[lane].reason } }

    /// As ``reason(lane:)``, as a record says it.
    func wait(lane: Int) -> LaneWait.Reason? { lanes.withLock { $0[lane].wait } }

    // MARK: - Orders

    /// Parks a lane because an operator has ordered so.
    func hold(lane: Int, by order: LaneOrder) {
        lanes.withLock { $0[lane].order = order }
        hasOrders.store(true, ordering: .releasing)
    }

    /// Whether an operator has paused a lane, so that nothing may be put on a stream of it.
    func isPaused(lane: Int) -> Bool {
        guard hasOrders.load(ordering: .acquiring) else { return false }
        return lanes.withLock { $0[lane].order?.state == .paused }
    }

    /// Takes such an order back.
    ///
    /// - Returns: whether there was one.
    func release(lane: Int) -> Bool {
        lanes.withLock { lanes in
            defer { lanes[lane].order = nil }
            return lanes[lane].order != nil
        }
    }

    // MARK: - Signs

    /// Opens the breaker, which parks the lane; what a parked one hears besides is no news, but for a longer silence that
    /// the provider asks for.
    ///
    /// - Parameters:
    ///   - lane: the lane.
    ///   - cause: why.
    ///   - reason: the cause in words, without any token or secret.
    ///   - since: when that began because of which it is parked; `nil` for now.
    ///   - now: this moment.
    /// - Returns: how long the lane pauses, or `nil` if it was parked already.
    func trip(
        lane: Int,
        cause: CircuitBreaker.Cause,
        reason: String,
        since: MonotonicTime? = nil,
        now: MonotonicTime
    ) -> Duration? {
        let age = since.map { now.duration(since: $0) } ?? .zero
        let begin = WallClock.milliseconds() - Int64(age / .milliseconds(1))
        return lanes.withLock { $0[lane].trip(cause, reason: reason, begin: begin, now: now) }
    }

    /// As ``CircuitBreaker/doubt()``.
    func doubt(lane: Int) -> Bool { lanes.withLock { $0[lane].doubt() } }

    /// As ``CircuitBreaker/isStarved(now:)``.
    func isStarved(lane: Int, now: MonotonicTime) -> Bool { lanes.withLock { $0[lane].isStarved(now: now) } }

    /// As ``CircuitBreaker/isSilent(now:)``.
    func isSilent(lane: Int, now: MonotonicTime) -> Bool { lanes.withLock { $0[lane].isSilent(now: now) } }

    /// As ``CircuitBreaker/isAnswering(now:)``.
    func isAnswering(lane: Int, now: MonotonicTime) -> Bool { lanes.withLock { $0[lane].isAnswering(now: now) } }

    /// As ``CircuitBreaker/isProbing``.
    func isProbing(lane: Int) -> Bool { lanes.withLock { $0[lane].isProbing } }

    /// The provider has answered in a way that shows the lane to be sound.
    ///
    /// - Returns: whether the lane was parked until now.
    func close(lane: Int, now: MonotonicTime) -> Bool {
        lanes.withLock { $0[lane].close(now: now, date: WallClock.milliseconds()) }
    }
}
