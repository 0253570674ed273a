import WaybillThreads

/// Says how things go, every ten seconds while they go.
struct ProgressReport {
    private static let interval = Duration.seconds(10)
    private var last = DispatchCounters.Snapshot()
    private var lastTime: MonotonicTime

    init(now: MonotonicTime) {
        lastTime = now
    }

    func isDue(now: MonotonicTime) -> Bool {
        now.duration(since: lastTime) >= Self.interval
    }

    /// The event to log; `nil` when nothing has changed.
    mutating func take(_ counters: DispatchCounters.Snapshot, inFlight: Int, now: MonotonicTime) -> DispatchEvent? {
        let elapsed = now.duration(since: lastTime) / .seconds(1)
        let done = counters.finished - last.finished
        defer {
            last = counters
            lastTime = now
        }
        guard counters != last else { return nil }
        return .progress(counters, inFlight: inFlight, perSecond: Int(Double(done) / elapsed))
    }
}
