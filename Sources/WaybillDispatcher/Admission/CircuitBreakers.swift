import Synchronization
import WaybillCore
import WaybillFleet
import WaybillTelemetry
import WaybillThreads

/// A circuit breaker for each lane: one that the provider refuses as such, or that cannot be reached, is parked, alone.
///
/// A closed breaker lets messages pass. An open one sends them to the delay queues until its pause is over; then it is half
/// open, and one message, the probe, goes first. The first answer that shows the lane to be sound closes the breaker, else
/// the next pause is twice as long.
///
/// An operator's order to pause a lane stands above all that: it parks the lane until another order opens it, and what the
/// lane's answers say meanwhile decides what it is then.
final class CircuitBreakers: Sendable {
    /// Why a lane is parked, which decides for how long.
    enum Cause: Hashable {
        /// The provider refuses its key, certificate, topic or provider token.
        case refused
        /// There is no connection or no provider token. Trying again costs the provider nothing.
        case unreachable
        /// The provider has asked for silence.
        case hold(Duration)

        /// The first pause and the longest.
        var pauses: ClosedRange<Duration> {
            switch self {
            case .refused: .seconds(30)...(.seconds(600))
            case .unreachable: .seconds(15)...(.seconds(60))
            case .hold(let pause): pause...pause
            }
        }

        /// What a record says of it.
        var wait: LaneWait.Reason {
            switch self {
            case .refused: .refused
            case .unreachable: .unreachable
            case .hold: .retryAfter
            }
        }
    }

    private struct Trip {
        var cause: Cause
        var reason: String
        var pause: Duration
    }

    private enum State {
        case closed
        case open(until: MonotonicTime, Trip)
        /// One message is on its way to find out.
        case halfOpen(since: MonotonicTime, Trip)
    }

    /// How a message of a lane is to be treated.
    enum Admission: Equatable {
        case send
        /// As `send`; what comes of it decides whether the breaker closes.
        case probe
        case wait(LaneWait.Reason)
    }

    /// A probe without an answer is not waited for longer than this.
    static let probePatience: Duration = .seconds(120)

    /// So many doubts in a row, and nothing sound between them, are taken for a refusal.
    static let doubtsOfARefusal = 3

    /// Nothing sound for so long, while pushes end as not taken, makes a lane unreachable.
    ///
    /// Longer than a busy lane waits while the other side restarts.
    static let starvation = Duration.seconds(60)

    /// Pushes that end without an answer for so long after the first that did, and nothing sound between them, make a lane
    /// unreachable.
    ///
    /// With the usual `dispatch.request_timeout` these went out when the first one had been given up: one lost push parks no
    /// lane, and two, one after the other, do, however little is sent.
    static let silence = Duration.seconds(30)

    private struct Entry {
        var state = State.closed
        /// When it was parked or opened last, in milliseconds since 1970.
        var since = WallClock.milliseconds()
        /// Since when it was parked in the process's configuration before this one, until an answer shows it to be sound.
        var parkedBefore: Int64?
        /// In a row.
        var doubts = 0
        /// The last answer that showed the lane to be sound, or when the breaker was made.
        var lastSound: MonotonicTime
        /// When the first push of several ended without an answer; `nil` after a sound answer.
        var unansweredSince: MonotonicTime?
        /// That the lane shall not send; `nil` while nobody has ordered so.
        var order: LaneOrder?

        var trip: Trip? {
            switch state {
            case .closed: nil
            case .open(_, let trip), .halfOpen(_, let trip): trip
            }
        }
    }

    private let lanes: Guarded<[Entry]>
    /// Whether there has ever been an order: nearly always not, and then asking costs no lock.
    private let hasOrders = Atomic(false)

    init(laneCount: Int, now: MonotonicTime = .now()) {
        lanes = Guarded(Array(repeating: Entry(lastSound: now), count: laneCount))
    }

    /// Since when a lane sends, or has been parked.
    func history(lane: Int) -> (since: Int64, isParked: Bool) {
        lanes.withLock { lanes in
            let entry = lanes[lane]
            return entry.trip == nil && entry.parkedBefore == nil
                ? (entry.since, false) : (entry.parkedBefore ?? entry.since, true)
        }
    }

    /// Goes on with what the configuration before this one knew of a lane: one that is refused again has been since then.
    func inherit(_ history: (since: Int64, isParked: Bool), lane: Int) {
        lanes.withLock { lanes in
            guard case .closed = lanes[lane].state else { return }
            if history.isParked {
                lanes[lane].parkedBefore = history.since
            } else {
                lanes[lane].since = history.since
            }
        }
    }

    /// Whether a message of the lane may be sent now.
    func admit(lane: Int, now: MonotonicTime) -> Admission {
        lanes.withLock { lanes in
            guard lanes[lane].order == nil else { return .wait(.paused) }
            switch lanes[lane].state {
            case .closed: return .send
            case .open(let until, let trip):
                guard until <= now else { return .wait(trip.cause.wait) }
                lanes[lane].state = .halfOpen(since: now, trip)
                return .probe
            case .halfOpen(let since, let trip):
                guard since.advanced(by: Self.probePatience) <= now else { return .wait(trip.cause.wait) }
                lanes[lane].state = .halfOpen(since: now, trip)
                return .probe
            }
        }
    }

    /// The probe has nothing to find out with: the next message is the next one.
    ///
    /// Its items have expired, or are recorded already, or what came of them says nothing about the lane.
    func returnProbe(lane: Int, now: MonotonicTime) {
        lanes.withLock { lanes in
            if case .halfOpen(_, let trip) = lanes[lane].state { lanes[lane].state = .open(until: now, trip) }
        }
    }

    /// Whether the lane is parked, or only a probe of it is under way.
    func isParked(lane: Int) -> Bool {
        reason(lane: lane) != nil
    }

    /// What to show of a lane: whether it sends, since when, and if not, why and until when.
    func show(lane: Int, in status: inout LaneStatus, now: MonotonicTime = .now()) {
        lanes.withLock { lanes in
            status.since = lanes[lane].since
            status.cause = lanes[lane].trip?.reason
            if let order = lanes[lane].order {
                status.state = order.state == .draining ? .draining : .paused
                status.cause = order.words
                status.since = order.source.date
                return
            }
            switch lanes[lane].state {
            case .closed: status.state = .open
            case .halfOpen: status.state = .probing
            case .open(let until, _):
                status.state = .parked
                status.retryAt = WallClock.milliseconds() + Int64(until.duration(since: now) / .milliseconds(1))
            }
        }
    }

    /// Why the lane is parked; `nil` while the breaker is closed.
    func reason(lane: Int) -> String? {
        lanes.withLock { $0[lane].order?.words ?? $0[lane].trip?.reason }
    }

    /// As ``reason(lane:)``, as a record says it.
    func wait(lane: Int) -> LaneWait.Reason? {
        lanes.withLock { $0[lane].order == nil ? $0[lane].trip?.cause.wait : .paused }
    }

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
        cause: Cause,
        reason: String,
        since: MonotonicTime? = nil,
        now: MonotonicTime
    ) -> Duration? {
        lanes.withLock { lanes in
            let pauses = cause.pauses
            var pause = pauses.lowerBound
            switch lanes[lane].state {
            case .closed:
                let age = since.map { now.duration(since: $0) } ?? .zero
                let begin = WallClock.milliseconds() - Int64(age / .milliseconds(1))
                lanes[lane].since = lanes[lane].parkedBefore ?? begin
            case .halfOpen(_, let last):
                if last.cause == cause { pause = min(last.pause * 2, pauses.upperBound) }
            case .open(let until, let trip):
                if case .hold = cause, until < now.advanced(by: pause) {
                    lanes[lane].state = .open(until: now.advanced(by: pause), trip)
                }
                return nil
            }
            let trip = Trip(cause: cause, reason: reason, pause: pause)
            lanes[lane].state = .open(until: now.advanced(by: pause), trip)
            return pause
        }
    }

    /// The provider has refused the lane's key for a topic that need not be the lane's.
    ///
    /// - Returns: whether that is to be taken for a refusal of the key. A probe that ends so has found out that nothing has
    ///   changed.
    func doubt(lane: Int) -> Bool {
        lanes.withLock { lanes in
            lanes[lane].doubts += 1
            return lanes[lane].doubts >= Self.doubtsOfARefusal || lanes[lane].trip != nil
        }
    }

    /// A push has ended as not taken, though there are connections.
    ///
    /// - Returns: whether that has gone on for too long; a probe that ends so has found out that nothing has changed.
    func isStarved(lane: Int, now: MonotonicTime) -> Bool {
        lanes.withLock { lanes in
            lanes[lane].lastSound.advanced(by: Self.starvation) <= now || lanes[lane].trip != nil
        }
    }

    /// A push has ended without an answer, though it was sent.
    ///
    /// - Returns: whether that has gone on for too long; a probe that ends so has found out that nothing has changed.
    func isSilent(lane: Int, now: MonotonicTime) -> Bool {
        lanes.withLock { lanes in
            let since = lanes[lane].unansweredSince ?? now
            lanes[lane].unansweredSince = since
            return since.advanced(by: Self.silence) <= now || lanes[lane].trip != nil
        }
    }

    /// The provider has answered in a way that shows the lane to be sound.
    ///
    /// - Returns: whether the lane was parked until now.
    func close(lane: Int, now: MonotonicTime) -> Bool {
        lanes.withLock { lanes in
            lanes[lane].doubts = 0
            lanes[lane].lastSound = now
            lanes[lane].unansweredSince = nil
            lanes[lane].parkedBefore = nil
            guard case .halfOpen = lanes[lane].state else { return false }
            lanes[lane].state = .closed
            lanes[lane].since = WallClock.milliseconds()
            return true
        }
    }
}

extension LaneOrder {
    /// As `paused by anna@push-1: certificate is being replaced`.
    fileprivate var words: String {
        "\(state.rawValue) by \(source.name)" + (source.note.map { ": \($0)" } ?? "")
    }
}
