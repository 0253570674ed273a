import WaybillEncoding

/// Since when the broker or the store is away, as far as processes say: each notices it at a moment of its own, and in several
/// places, and people are told of one outage.
package struct Outages {
    /// How much later than the first somebody may notice, in milliseconds: a connection's heartbeats have to run out.
    static let spread: Int64 = 60_000

    /// In ascending order: since when processes lack something because of it.
    private var times: [FleetHealth.Subject: [Int64]] = [:]

    /// Whether a process cannot use the store, so that whoever reads it lacks it for the same reason.
    private(set) var storeIsAway = false

    /// - Parameter reports: of the processes that are there.
    package init(_ reports: [ProcessReport]) {
        for report in reports {
            for check in report.checks ?? [] where FleetHealth.isTold(check, of: report) {
                if check.name == "store" { storeIsAway = true }
                guard let subject = Self.subject(check), let time = check.since.flatMap(TimeText.date) else { continue }
                times[subject, default: []].append(time)
            }
        }
        times = times.mapValues { $0.sorted() }
    }

    /// When that began because of which a process lacks something, in milliseconds since 1970.
    ///
    /// - Returns: the time of who noticed it first; `nil` where the check has no time.
    func begin(of check: ProcessReport.Check) -> Int64? {
        guard let own = check.since.flatMap(TimeText.date) else { return nil }
        let earlier = Self.subject(check).flatMap { times[$0] }?.filter { $0 < own } ?? []
        // From one who noticed to the one before, as long as they belong together.
        return earlier.reversed().reduce(own) { begin, time in begin - time <= Self.spread ? time : begin }
    }

    /// When that began because of which a process lacks something for one reason, as ``begin(of:)-(ProcessReport.Check)``.
    package func begin(of lack: ProcessLack) -> Int64? { lack.checks.compactMap { begin(of: $0) }.min() }

    private static func subject(_ check: ProcessReport.Check) -> FleetHealth.Subject? {
        switch check.name {
        // They have advice of their own, and lack the store all the same.
        case "log", "webhooks": .store
        default: FindingAdvice.subject(check.name, cause: check.cause)
        }
    }
}
