/// Which processes are there, as far as their leases tell.
extension FleetHealth {
    /// Whether a process should have been heard of by now.
    package static func isSilent(_ lease: Lease, now: Int64) -> Bool {
        now - lease.seen > Int64(Lease.patience / .milliseconds(1))
    }

    /// Whether a process runs, as far as its lease tells.
    package static func isPresent(_ lease: Lease, now: Int64) -> Bool { !lease.isEnded && !isSilent(lease, now: now) }

    /// Whether another of its role has been started since it was heard of last: then nobody has to look after it.
    package static func isReplaced(_ lease: Lease, among leases: [Lease]) -> Bool {
        leases.contains { $0.role == lease.role && $0.started > lease.seen }
    }

    /// Whether a process has ended, also without a word, as far as its lease and those of others tell.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - leases: of all processes.
    ///   - queues: those that dispatchers read; `nil` where nobody has asked the broker, or it does not answer.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false` for one that is there, may be there, or may hold messages.
    package static func isPast(_ lease: Lease, among leases: [Lease], queues: [Queue]? = nil, now: Int64) -> Bool {
        guard !lease.isEnded else { return true }
        return isSilent(lease, now: now) && isReplaced(lease, among: leases)
            && !mayHold(lease, among: leases, queues, now: now)
            && !keepsConsumer(lease, among: leases, queues, now: now)
    }
}
