import Threads

/// When a lane opens a connection.
///
/// The first one when there is something to send; a further one when those that are open are full, one at a time and
/// never in a burst (Apple's engineers ask for gradual growth); the next one after a GOAWAY at once. After a failure,
/// the growing delay of ``ReconnectBackoff``.
struct ConnectionPlan {
    /// What the lane has at the moment.
    struct Situation {
        /// Requests that wait, after every open connection took what it could.
        var waiting: Int
        /// Connections that may carry new requests.
        var open: Int
        /// Connections on their way.
        var pending: Int
    }

    private let limit: Int
    private let spacing: Duration
    private var backoff: ReconnectBackoff
    /// No attempt before this: a failure's delay.
    private var notBefore: MonotonicTime?
    private var lastOpened: MonotonicTime?

    init(limit: Int, spacing: Duration, delays: APNSReconnectDelays) {
        self.limit = limit
        self.spacing = spacing
        self.backoff = ReconnectBackoff(delays)
    }

    /// Whether to open a connection now, or when to ask again; `nil` when only a change of the situation can matter.
    func nextOpening(_ situation: Situation, at now: MonotonicTime) -> MonotonicTime? {
        guard situation.waiting > 0, situation.pending == 0, situation.open < limit else { return nil }
        var earliest = now
        if situation.open > 0, let lastOpened { earliest = max(earliest, lastOpened.advanced(by: spacing)) }
        if let notBefore { earliest = max(earliest, notBefore) }
        return earliest
    }

    mutating func opened(at now: MonotonicTime) {
        lastOpened = now
    }

    /// A connection could not be made, or ended before its first answer.
    mutating func failed(at now: MonotonicTime, jitter: Double) {
        notBefore = backoff.failed(at: now, jitter: jitter)
    }

    /// A connection's first answer came.
    mutating func proved() {
        backoff.reset()
        notBefore = nil
    }
}
