extension FleetHealth {
    /// For how long a start explains what a process lacks, in milliseconds; systemd waits as long for it.
    private static let startTime: Int64 = 10_000

    /// Whether a process has been started just now, and lacks nothing but what it has not come to yet.
    static func isStarting(_ lease: Lease, now: Int64) -> Bool {
        let report = ProcessReport(lease)
        guard !report.ready, !report.isStopping, abs(now - lease.started) < startTime else { return false }
        return (report.checks ?? []).allSatisfy { $0.ok || hasNotBegun($0.cause) }
    }

    /// Whether a dispatcher works already, and may not have come to all of its queues.
    static func takesUp(_ lease: Lease, now: Int64) -> Bool {
        lease.role == dispatch && isPresent(lease, now: now) && ProcessReport(lease).ready && isYoung(lease, now: now)
    }

    /// Whether a process has been started so lately that it may come to more than it has said.
    static func isYoung(_ lease: Lease, now: Int64) -> Bool { abs(now - lease.started) < 2 * startTime }

    /// That a process starts.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - canSend: whether a dispatcher is known to be at work.
    /// - Returns: how people are told.
    static func start(of lease: Lease, canSend: Bool) -> Finding {
        Finding(
            .processStarting,
            lease.role == dispatch && !canSend ? .down : .degraded,
            "\(name(lease)) is starting"
        )
    }

    /// Whether a cause is that with which a condition begins, such as `not connected yet`, or follows from one.
    private static func hasNotBegun(_ cause: String?) -> Bool {
        guard let cause else { return false }
        let words = cause.split(separator: " ")
        return (words.first == "not" || words.first == "nothing") && words.last == "yet"
            || cause == "waits for the store"
    }
}
