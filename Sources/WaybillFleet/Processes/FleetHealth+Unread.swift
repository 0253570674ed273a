extension FleetHealth {
    /// Queues that nobody reads, as whoever knows the processes tells of them.
    ///
    /// - Parameters:
    ///   - queues: those that dispatchers read.
    ///   - leases: of all processes; `nil` where they cannot be read.
    ///   - now: milliseconds since 1970.
    /// - Returns: one finding for each, with what to do about it.
    package static func unread(_ queues: [Queue], by leases: [Lease]?, now: Int64) -> [Finding] {
        // One that has just started comes to its queues one after the other: where much was left to it, the next waits. One that
        // was killed just now has none.
        let isTaken =
            queues.contains { $0.consumers > 0 } && (leases ?? []).contains { takesUp($0, now: now) }
        let advice =
            isTaken
            ? FindingAdvice.starting
            : leases.map { adviceOnUnread(by: $0, now: now) } ?? FindingAdvice.noConsumer
        return queues.filter { $0.consumers == 0 }.map { queue in
            let waiting =
                switch queue.messages {
                case 0: ""
                case 1: ", and 1 message waits"
                default: ", and \(queue.messages) messages wait"
                }
            return Finding(
                .queueUnread,
                isTaken ? .degraded : .down,
                "\(queue.name) has no consumer\(waiting)",
                advice: advice,
                subject: advice == FindingAdvice.queues ? .queues : nil
            )
        }
    }

    /// One that was killed counts as at work until it has been silent for too long: nobody has to start another one before.
    private static func adviceOnUnread(by leases: [Lease], now: Int64) -> String {
        let dispatchers = leases.filter { $0.role == dispatch && isPresent($0, now: now) }
        if ending(leases, now: now).contains(where: { $0.advice == FindingAdvice.noOther }) {
            return FindingAdvice.noOther
        }
        if dispatchers.contains(where: { isStarting($0, now: now) }) { return FindingAdvice.starting }
        // It takes all of its queues or none: where one is missing, another dispatcher would read no more.
        if dispatchers.contains(where: lacksQueues) { return FindingAdvice.queues }
        return dispatchers.contains { ProcessReport($0).ready } ? FindingAdvice.unread : FindingAdvice.noConsumer
    }
    private static func lacksQueues(_ lease: Lease) -> Bool {
        (ProcessReport(lease).checks ?? []).contains {
            $0.name == "consuming" && !$0.ok && FindingAdvice.subject($0.name, cause: $0.cause) == .queues
        }
    }
}
