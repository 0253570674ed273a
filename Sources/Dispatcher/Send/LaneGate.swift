import Threads

/// Which lanes may send: a lane that APNs refuses as such (its key, certificate or topic) is parked, alone.
///
/// Its messages wait in the delay queues. When the pause is over one message goes first; the lane opens again with the
/// first answer that is not such a refusal, else the next pause is twice as long.
final class LaneGate: Sendable {
    private enum State {
        case open
        case parked(until: MonotonicTime, pause: Duration)
        /// One message is on its way to find out.
        case probing(since: MonotonicTime, pause: Duration)
    }

    /// How a message of a lane is to be treated.
    enum Admission: Equatable {
        case send
        /// As `send`; what comes of it decides whether the lane opens.
        case probe
        case wait
    }

    /// The first pause and the longest.
    static let pauses: ClosedRange<Duration> = .seconds(30)...(.seconds(600))
    /// A probe without an answer is not waited for longer than this.
    static let probePatience: Duration = .seconds(120)

    private let lanes: Guarded<[State]>

    init(laneCount: Int) {
        lanes = Guarded(Array(repeating: .open, count: laneCount))
    }

    /// Whether a message of the lane may be sent now.
    func admit(lane: Int, now: MonotonicTime) -> Admission {
        lanes.withLock { lanes in
            switch lanes[lane] {
            case .open: return .send
            case .parked(let until, let pause):
                guard until <= now else { return .wait }
                lanes[lane] = .probing(since: now, pause: pause)
                return .probe
            case .probing(let since, let pause):
                guard since.advanced(by: Self.probePatience) <= now else { return .wait }
                lanes[lane] = .probing(since: now, pause: pause)
                return .probe
            }
        }
    }

    /// The probe has nothing to find out with: the next message is the next one.
    ///
    /// Its items have expired, or are recorded already, or did not come to APNs.
    func returnProbe(lane: Int, now: MonotonicTime) {
        lanes.withLock { lanes in
            if case .probing(_, let pause) = lanes[lane] { lanes[lane] = .parked(until: now, pause: pause) }
        }
    }

    /// Whether the lane is parked, or only a probe of it is under way.
    func isClosed(lane: Int) -> Bool {
        lanes.withLock { if case .open = $0[lane] { false } else { true } }
    }

    /// APNs has refused the lane as such.
    ///
    /// - Returns: how long the lane pauses, or `nil` if it was parked already.
    func park(lane: Int, now: MonotonicTime) -> Duration? {
        lanes.withLock { lanes in
            let pause: Duration
            switch lanes[lane] {
            case .open: pause = Self.pauses.lowerBound
            case .probing(_, let last): pause = min(last * 2, Self.pauses.upperBound)
            case .parked: return nil
            }
            lanes[lane] = .parked(until: now.advanced(by: pause), pause: pause)
            return pause
        }
    }

    /// APNs has answered in a way that shows the lane to be sound.
    ///
    /// - Returns: whether the lane was parked until now.
    func open(lane: Int) -> Bool {
        lanes.withLock { lanes in
            guard case .probing = lanes[lane] else { return false }
            lanes[lane] = .open
            return true
        }
    }
}
