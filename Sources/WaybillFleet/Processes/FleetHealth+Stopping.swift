extension FleetHealth {
    /// What dispatchers are at that have been told to end, where no other takes their place.
    ///
    /// While another one works, an end is nothing to look at: so it is with every upgrade.
    ///
    /// - Parameters:
    ///   - leases: of all processes.
    ///   - now: milliseconds since 1970.
    /// - Returns: one finding for each of them, and one that nobody else takes messages where that is so.
    static func ending(_ leases: [Lease], now: Int64) -> [Finding] {
        let dispatchers = leases.filter { $0.role == dispatch }
        let present = dispatchers.filter { isPresent($0, now: now) }.map { ($0, ProcessReport($0)) }
        guard !present.contains(where: { $1.ready }) else { return [] }
        let stopping = present.filter { $1.isStopping }
        var findings = stopping.map { lease, report in
            Finding(.dispatcherStopping, .down, "\(name(lease)) \(report.endingText)", advice: FindingAdvice.ending)
        }
        // Of one that is silent, or lacks something, is said what to do about it.
        let hasOther = dispatchers.contains { isSilent($0, now: now) && !isPast($0, among: leases, now: now) }
        if !stopping.isEmpty, stopping.count == present.count, !hasOther {
            findings.append(Finding(.noDispatcher, .down, "no other dispatcher runs", advice: FindingAdvice.noOther))
        }
        return findings
    }

    /// Whether something that a process says of itself is still to be told: of one that has been told to end, not that it
    /// takes no more work, or says no more that it does.
    package static func isTold(_ check: ProcessReport.Check, of report: ProcessReport) -> Bool {
        guard !check.ok else { return false }
        guard report.isStopping else { return true }
        return check.name != "consuming" && check.cause?.hasPrefix(FindingAdvice.nothingHeard) != true
    }

    /// As ``isTold(_:of:)-(ProcessReport.Check,_)``: what is finished before an end is told with the end.
    package static func isTold(_ trouble: ProcessReport.Trouble, of report: ProcessReport) -> Bool {
        !report.isStopping || !trouble.isStandstill
    }
}

extension ProcessReport {
    /// Whether it has been told to end, and takes nothing new.
    package var isStopping: Bool { stopping == true }

    /// What a dispatcher does that has been told to end, to stand behind its name.
    package var endingText: String {
        let begin = "is stopping (told to end, as by SIGTERM): it takes no new messages"
        return switch inFlight?["messages"] ?? 0 {
        case 0: "\(begin) and has none in hand"
        case 1: "\(begin) and finishes 1 that it has in hand"
        case let count: "\(begin) and finishes \(count) that it has in hand"
        }
    }
}
