import WaybillFleet

extension SendingNow {
    /// That queues have no consumer, as the broker sees it: right after a dispatcher was killed, nobody else knows.
    ///
    /// - Returns: nothing where somebody reads them, and where the processes tell themselves why nobody does.
    var unreadQueues: [Obstacle] {
        guard let queues else { return [] }
        if let reports = dispatcherReports, !reports.contains(where: { $0.ready && !$0.isStopping }) { return [] }
        let isAnyRead = queues.contains { $0.consumers > 0 }
        let waiting = isAnyRead ? queues.filter { $0.messages > 0 } : queues
        return FleetHealth.unread(waiting, by: try? leases.get(), now: now).map { finding in
            Obstacle("\(finding.text).", remedy: finding.advice, subject: finding.subject)
        }
    }

    /// That queues are missing, whoever needs them: what a process lacks for that is told besides.
    var missingQueues: [Obstacle] {
        guard !missing.isEmpty else { return [] }
        let names = missing.joined(separator: ", ")
        return [
            Obstacle(
                missing.count == 1 ? "The queue \(names) is missing." : "Queues are missing: \(names).",
                remedy: FindingAdvice.queues,
                subject: .queues
            )
        ]
    }

    /// What is not to be known.
    var unread: [Obstacle] {
        var obstacles: [Obstacle] = []
        if case .failure(let error) = leases {
            obstacles.append(Obstacle("What the dispatchers do now is not readable (find on processes): \(error)"))
        }
        if case .failure(let error) = orders {
            obstacles.append(Obstacle("What operators have ordered is not readable (find on orders): \(error)"))
        }
        return obstacles
    }
}
