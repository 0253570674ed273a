extension FleetHealth {
    /// How long a lease may stand that a process renews while it is there, in milliseconds: one renewal may be late by half.
    private static let overdue = Int64(Lease.interval / .milliseconds(1)) * 3 / 2

    /// Dispatchers whose last word is out of date, as the broker's consumers show: what they said went wrong is not told any more.
    ///
    /// Between the end of a killed process and the moment at which its silence is told, its lease looks as that of one which works.
    ///
    /// - Parameters:
    ///   - dispatchers: the leases of those that seem to be there.
    ///   - queues: those that dispatchers read; `nil` where the broker does not say.
    ///   - now: milliseconds since 1970.
    /// - Returns: the leases' ids.
    static func outdated(_ dispatchers: [Lease], _ queues: [Queue]?, now: Int64) -> Set<String> {
        let readers = dispatchers.map { (lease: $0, report: ProcessReport($0)) }.filter { $0.report.ready }
        let isAnyRead = (queues ?? []).contains { $0.consumers > 0 }
        var gone: Set<String> = []
        for queue in queues ?? [] {
            let expected = readers.filter { $0.report.queues?.contains(queue.name) ?? true }
            guard expected.count > queue.consumers else { continue }
            gone.formUnion(
                expected.filter { reader in
                    // One that has just started comes to its queues one after the other.
                    let isMissed = queue.consumers == 0 && !(isAnyRead && takesUp(reader.lease, now: now))
                    return isMissed || now - reader.lease.seen > overdue
                }.map(\.lease.id)
            )
        }
        return gone
    }
}
