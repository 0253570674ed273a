import WaybillThreads

/// Since when a request waits.
struct Wait: Hashable {
    /// When it came.
    let arrival: MonotonicTime
    /// When its present wait began: later than its arrival if it was sent and came back.
    let start: MonotonicTime
}

/// When a request has waited for long enough: while its lane makes no progress, and whatever progress it makes.
struct WaitingLimit {
    private let unreachable: Duration
    private let waiting: Duration

    init(_ deadlines: TransportDeadlines) {
        unreachable = deadlines.unreachable
        waiting = deadlines.waiting
    }

    /// When a wait is over.
    ///
    /// Never later for one that began earlier: the earliest arrival and the earliest start of a queue, even of two
    /// requests, give the time at which the first of its waits is over.
    ///
    /// - Parameters:
    ///   - wait: the wait.
    ///   - lastProgress: when the lane got a request onto a stream for the last time, or had nothing to send.
    /// - Returns: the time.
    func end(of wait: Wait, lastProgress: MonotonicTime) -> MonotonicTime {
        min(latestEnd(ofArrival: wait.arrival), max(wait.start, lastProgress).advanced(by: unreachable))
    }

    /// When a request that came at a time is not put on a stream any more, nor put back to be sent again.
    func latestEnd(ofArrival arrival: MonotonicTime) -> MonotonicTime {
        arrival.advanced(by: waiting)
    }
}
