package import WaybillFleet

extension InstallationState {
    /// The broker's queues, in the order in which messages pass them.
    package struct Broker {
        package var consumed: [FleetHealth.Queue]
        /// Messages that wait for their delay to be over, all queues together.
        package var delayed: Int
        package var rejected: Int
        package var tokenEvents: Int
        /// Audience messages that nobody has entered yet.
        package var audiences: Int
        /// Queues that are not there, while others are from which dispatchers take messages.
        package var missing: MissingQueues?
        /// What its HTTP API tells, or why it does not; `nil` where none is configured.
        package var management: Result<ManagementReport, ManagementReport.Failure>?

        package init(
            consumed: [FleetHealth.Queue] = [],
            delayed: Int = 0,
            rejected: Int = 0,
            tokenEvents: Int = 0,
            audiences: Int = 0,
            missing: MissingQueues? = nil,
            management: Result<ManagementReport, ManagementReport.Failure>? = nil
        ) {
            self.consumed = consumed
            self.delayed = delayed
            self.rejected = rejected
            self.tokenEvents = tokenEvents
            self.audiences = audiences
            self.missing = missing
            self.management = management
        }
    }
}

extension InstallationState.Broker {
    /// How many messages are in a queue that nobody reads for long, with those that somebody holds, as far as its HTTP API tells.
    ///
    /// - Parameters:
    ///   - queue: its name.
    ///   - ready: how many anybody can take.
    ///   - readers: who reads it; without any the API, which is some seconds late, has nothing to add.
    /// - Returns: the number.
    func count(in queue: String, ready: Int, readers: Int) -> Int {
        guard readers > 0, case .success(let report)? = management else { return ready }
        return ready + (report.unacknowledged[queue] ?? 0)
    }

    /// What it tells.
    ///
    /// - Parameter running: the roles of which a process is up; `nil` where nobody knows.
    /// - Returns: what is told of it.
    func findings(running: Set<String>?) -> [FleetHealth.Finding] {
        (missing.map { [$0.finding] } ?? []) + managementFindings + queueFindings + (running.map(readerFindings) ?? [])
    }

    private var managementFindings: [FleetHealth.Finding] {
        switch management {
        case nil: []
        case .success(let report):
            // An alarm of one node blocks whoever publishes to any: no push gets in.
            report.alarms.map {
                FleetHealth.Finding(.brokerAlarm, .down, $0, advice: FindingAdvice.alarm, subject: .brokerAlarm)
            }
                + report.missingNodes.map {
                    FleetHealth.Finding(.brokerNodeMissing, .degraded, $0, advice: StateAdvice.node)
                }
        case .failure(let failure):
            [
                FleetHealth.Finding(
                    .brokerManagement,
                    .degraded,
                    "the broker's HTTP API does not help: \(failure)",
                    advice: StateAdvice.management
                )
            ]
        }
    }

    private var queueFindings: [FleetHealth.Finding] {
        guard rejected > 0 else { return [] }
        let text = "the rejected queue holds \(rejected)"
        return [FleetHealth.Finding(.rejectedHeld, .degraded, text, advice: StateAdvice.rejected)]
    }

    /// That nobody runs who would read what waits.
    private func readerFindings(_ running: Set<String>) -> [FleetHealth.Finding] {
        [
            UnservedWork(
                kind: .noPrune,
                role: "prune",
                what: "invalid-token events wait",
                count: tokenEvents,
                advice: StateAdvice.noPrune
            ),
            .audiences(audiences),
        ].compactMap { $0.finding(running: running) }
    }
}
