import WaybillThreads

/// How often, and for how long, something held requests back.
struct StallMeter: Hashable {
    private(set) var count = 0
    private var ended = Duration.zero
    /// When the stall began that goes on now.
    private(set) var since: MonotonicTime?

    var isStalled: Bool { since != nil }

    /// Says whether requests are held back now.
    mutating func note(_ isStalled: Bool, at now: MonotonicTime) {
        if isStalled {
            guard since == nil else { return }
            since = now
            count += 1
        } else if let start = since {
            ended += now.duration(since: start)
            since = nil
        }
    }

    /// The time in all, a stall that goes on included.
    func total(at now: MonotonicTime) -> Duration {
        since.map { ended + now.duration(since: $0) } ?? ended
    }
}
