package import WaybillAMQP
import WaybillDeviceRegistry
import WaybillEncoding
package import WaybillFleet
package import WaybillMongo
package import WaybillOutbox

/// What broker, store and processes say of an installation, asked once.
///
/// Nothing is changed, and no message is taken off a queue: the broker is asked for numbers only.
package struct InstallationState {
    /// The broker's queues, in the order in which messages pass them.
    package struct Broker {
        package var consumed: [FleetHealth.Queue]
        /// Messages that wait for their delay to be over, all queues together.
        package var delayed: Int
        package var rejected: Int
        package var tokenEvents: Int
        /// Audience messages that nobody has entered yet.
        package var audiences: Int
        /// What its HTTP API tells, or why it does not; `nil` where none is configured.
        package var management: Result<ManagementReport, ManagementReport.Failure>?

        package init(
            consumed: [FleetHealth.Queue] = [],
            delayed: Int = 0,
            rejected: Int = 0,
            tokenEvents: Int = 0,
            audiences: Int = 0,
            management: Result<ManagementReport, ManagementReport.Failure>? = nil
        ) {
            self.consumed = consumed
            self.delayed = delayed
            self.rejected = rejected
            self.tokenEvents = tokenEvents
            self.audiences = audiences
            self.management = management
        }
    }

    package struct Store {
        package var deployment: MongoDeployment
        /// Records in the log, about.
        package var records: Int
        /// When the next record expires, in milliseconds since 1970; `nil` when none does.
        package var nextExpiry: Int64?
        /// How far the majority of a replica set is behind its primary, in whole seconds; `nil` where there is none.
        package var lag: Duration?
        /// Mails that somebody should have sent a while ago.
        package var overdueMails: Int
        /// Critical notifications that are sent again until somebody acknowledges them, and nobody has yet.
        package var waitingRepeats: Int
        package var webhooks: WebhookTroubles
        /// Fuses of prune that are blown, with what they hold.
        package var blownFuses: [FuseOverview]

        package init(
            deployment: MongoDeployment,
            records: Int,
            nextExpiry: Int64?,
            lag: Duration? = nil,
            overdueMails: Int = 0,
            waitingRepeats: Int = 0,
            webhooks: WebhookTroubles = WebhookTroubles(),
            blownFuses: [FuseOverview] = []
        ) {
            self.deployment = deployment
            self.lag = lag
            self.overdueMails = overdueMails
            self.waitingRepeats = waitingRepeats
            self.webhooks = webhooks
            self.blownFuses = blownFuses
            self.records = records
            self.nextExpiry = nextExpiry
        }
    }

    /// What the broker says, or why it does not.
    package let broker: Result<Broker, AMQPError>
    /// What the store says, or why it does not.
    package let store: Result<Store, MongoError>
    /// Of all processes, role by role (``Lease/inOrder(_:)``); empty while the store is away.
    package let leases: [Lease]
    /// Documents beside them that no process writes.
    package let unreadableLeases: [String]
    /// When it was asked, in milliseconds since 1970, by the store's clock where it answers.
    package let now: Int64

    package init(
        broker: Result<Broker, AMQPError>,
        store: Result<Store, MongoError>,
        leases: [Lease],
        unreadableLeases: [String] = [],
        now: Int64
    ) {
        self.broker = broker
        self.store = store
        self.leases = Lease.inOrder(leases)
        self.unreadableLeases = unreadableLeases
        self.now = now
    }

    /// How the installation does.
    package var health: FleetHealth { FleetHealth(failures + othersFindings) }

    /// As ``health``, for whoever has told already that a server does not answer.
    package var healthBesideFailures: FleetHealth { FleetHealth(othersFindings) }

    /// That a server does not answer, which explains what the processes lack.
    private var failures: [FleetHealth.Finding] { [brokerFailure, storeFailure].compactMap(\.self) }

    private var othersFindings: [FleetHealth.Finding] {
        let consumed = consumed
        let servers = brokerFindings + storeFindings
        // Without leases nothing is known of the processes, but what the broker sees of them.
        guard case .success = store else {
            return servers + (consumed.map { FleetHealth.unread($0, canSend: false) } ?? [])
        }
        // What is down at a server explains what the processes lack; what else is said of it can wait.
        // Whoever does not reach the broker lacks it for the same reason; that this user is refused says nothing of others.
        let explained = Set(failures.filter { $0.kind == .brokerUnanswered }.compactMap(\.subject))
        let fleet =
            FleetHealth(leases: leases, consumed: consumed, explained: explained, now: now).findings + unreadable
        return servers.filter { $0.grade == .down } + fleet + servers.filter { $0.grade != .down }
    }

    private var unreadable: [FleetHealth.Finding] {
        guard let first = unreadableLeases.min() else { return [] }
        let others = unreadableLeases.count > 1 ? " and \(unreadableLeases.count - 1) more" : ""
        return [
            FleetHealth.Finding(
                .processesUnreadable,
                .degraded,
                "the collection processes has what no process says of itself, and it is left out: \(first)\(others)",
                advice: StateAdvice.unreadableLease
            )
        ]
    }

    /// Whether the broker takes nothing from whoever publishes, because of an alarm, as it says itself or somebody to whom it said so.
    package var brokerIsBlocked: Bool { health.findings.contains { $0.subject == .brokerAlarm } }

    /// What broker and store say, whatever runs.
    package var serversHealth: FleetHealth { FleetHealth(failures + brokerFindings + storeFindings) }

    /// Whether nothing has run here lately and nothing waits for it: an installation before its first start.
    package var isUnstarted: Bool {
        guard leases.isEmpty, case .success(let broker) = broker, case .success = store else { return false }
        return broker.consumed.allSatisfy { $0.messages == 0 && $0.consumers == 0 }
    }

    /// Whether broker or store refuse the user who asks: then little is known of the installation.
    package var isRefused: Bool { brokerRefuses || storeRefuses }

    package var brokerRefuses: Bool {
        if case .failure(let error) = broker { error.code == .accessRefused } else { false }
    }

    /// Whether the broker has answered, and only that a queue is not there.
    package var queuesAreMissing: Bool {
        if case .failure(let error) = broker { error.code == .notFound } else { false }
    }

    package var storeRefuses: Bool {
        if case .failure(let error) = store { error.code == .accessRefused } else { false }
    }

    private var brokerFailure: FleetHealth.Finding? {
        guard case .failure(let error) = broker else { return nil }
        if queuesAreMissing {
            return FleetHealth.Finding(
                .queuesMissing,
                .down,
                "queues are missing: \(error.text)",
                advice: StateAdvice.queues
            )
        }
        let refuses = error.code == .accessRefused
        return FleetHealth.Finding(
            refuses ? .brokerRefuses : .brokerUnanswered,
            .down,
            "the broker \(refuses ? "refuses this user" : "does not answer"): \(error)",
            advice: refuses ? StateAdvice.brokerRights : StateAdvice.broker,
            subject: .broker
        )
    }

    private var storeFailure: FleetHealth.Finding? {
        guard case .failure(let error) = store else { return nil }
        let refuses = error.code == .accessRefused
        return FleetHealth.Finding(
            refuses ? .storeRefuses : .storeUnanswered,
            .down,
            "the store \(refuses ? "refuses this user \(error.inBrackets)" : "does not answer: \(error.plain)")",
            advice: refuses ? StateAdvice.storeRights : StateAdvice.store,
            subject: .store
        )
    }

    private var brokerFindings: [FleetHealth.Finding] {
        guard case .success(let broker) = broker else { return [] }
        var findings = broker.findings
        if broker.tokenEvents > 0, !runs("prune"), case .success = store {
            let text = "no waybill prune runs; invalid-token events wait: \(broker.tokenEvents)"
            findings.append(FleetHealth.Finding(.noPrune, .degraded, text, advice: StateAdvice.noPrune))
        }
        if broker.audiences > 0, !runs("fanout"), case .success = store {
            let text = "no waybill fanout runs; audience messages wait: \(broker.audiences)"
            findings.append(FleetHealth.Finding(.noFanout, .degraded, text, advice: StateAdvice.noFanout))
        }
        return findings
    }

    private var storeFindings: [FleetHealth.Finding] {
        guard case .success(let store) = store else { return [] }
        var findings: [FleetHealth.Finding] = []
        if case .replicaSet(let name, _, hasPrimary: false) = store.deployment {
            let text = "the replica set \(name) has no primary"
            findings.append(
                FleetHealth.Finding(.storeNoPrimary, .down, text, advice: StateAdvice.noPrimary, subject: .store)
            )
        }
        if let lag = store.lag, lag >= Store.longestLag {
            let text = "the majority of the store is \(lag.components.seconds) s behind its primary"
            findings.append(FleetHealth.Finding(.storeLag, .degraded, text, advice: StateAdvice.lag))
        }
        if let expiry = store.nextExpiry, now - expiry > Store.longestLateness {
            let text = "the oldest record should have gone \(FleetHealth.age(expiry, now)) ago"
            findings.append(FleetHealth.Finding(.recordsOverdue, .degraded, text, advice: StateAdvice.overdue))
        }
        if store.overdueMails > 0, !runs("hooks") {
            let text = "no waybill hooks runs; mails wait: \(store.overdueMails)"
            findings.append(FleetHealth.Finding(.noHooks, .degraded, text, advice: StateAdvice.noHooks))
        }
        if store.waitingRepeats > 0, !runs("schedule") {
            let text = "no waybill schedule runs; critical notifications wait to be sent again: \(store.waitingRepeats)"
            findings.append(FleetHealth.Finding(.noSchedule, .degraded, text, advice: StateAdvice.noSchedule))
        }
        findings += store.blownFuses.map {
            FleetHealth.Finding(
                .fuseBlown,
                .degraded,
                FuseText.finding($0),
                advice: FuseText.advice($0.fuse.name),
                lane: $0.fuse.name.lane
            )
        }
        return findings + store.webhooks.findings(areSent: runs("hooks"))
    }
}

extension InstallationState.Broker {
    /// What the broker itself tells, without what processes say.
    fileprivate var findings: [FleetHealth.Finding] {
        guard rejected > 0 else { return managementFindings }
        let text = "the rejected queue holds \(rejected)"
        return managementFindings + [FleetHealth.Finding(.rejectedHeld, .degraded, text, advice: StateAdvice.rejected)]
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
}

extension WebhookTroubles {
    /// - Parameter areSent: whether a process is up that sends them.
    /// - Returns: what to tell of them.
    fileprivate func findings(areSent: Bool) -> [FleetHealth.Finding] {
        var findings: [FleetHealth.Finding] = []
        if late > 0 {
            let text = areSent ? "webhooks are late" : "no waybill hooks runs; webhooks wait"
            let advice = areSent ? StateAdvice.lateWebhooks : StateAdvice.noWebhooks
            let kind: FindingKind = areSent ? .webhooksLate : .noHooks
            findings.append(FleetHealth.Finding(kind, .degraded, "\(text): \(late)", advice: advice))
        }
        if !givenUp.isEmpty {
            let shown = givenUp.prefix(3).joined(separator: ", ") + (givenUp.count > 3 ? ", …" : "")
            let text = "webhook endpoints that take nothing any more: \(givenUp.count) (\(shown))"
            findings.append(
                FleetHealth.Finding(.webhookEndpointsGivenUp, .degraded, text, advice: StateAdvice.givenUpEndpoints)
            )
        }
        return findings
    }
}

extension InstallationState.Store {
    /// A majority that is further behind keeps records from becoming durable.
    fileprivate static let longestLag = Duration.seconds(10)
    /// Longer than hooks takes to come round.
    static let longestMailWait = Duration.seconds(60)
    /// The server removes expired records every minute; milliseconds.
    fileprivate static let longestLateness: Int64 = 3_600_000
}

extension InstallationState {
    /// Messages that were handed out and are not acknowledged: by queue from the broker, or all together from what the
    /// dispatchers that are up say of themselves.
    package enum Unacknowledged: Hashable, Sendable {
        case byQueue([String: Int])
        case reported(Int)
        /// The store, which has what dispatchers say of themselves, does not answer.
        case unknown
    }

    package var unacknowledged: Unacknowledged {
        if case .success(let broker) = broker, case .success(let report)? = broker.management {
            return .byQueue(report.unacknowledged)
        }
        guard case .success = store else { return .unknown }
        let counts = reports.compactMap(\.inFlight).map { ($0["messages"] ?? 0) + ($0["unstarted"] ?? 0) }
        return .reported(counts.reduce(0, +))
    }

    /// For how long the oldest message may have waited that still waits in a queue, at the most: no dispatcher has taken one
    /// of the queue whose own time was later; `nil` when none has said so.
    package func longestWait(in queue: String) -> Duration? {
        let times = reports.compactMap { $0.takenUpTo?[queue] }.compactMap(TimeText.date)
        return times.max().map { .milliseconds(max(0, now - $0)) }
    }

    /// What the processes that are up say of themselves.
    private var reports: [ProcessReport] { present.map { ProcessReport($0) } }

    private var present: [Lease] { leases.filter { FleetHealth.isPresent($0, now: now) } }

    private func runs(_ role: String) -> Bool { present.contains { $0.role == role } }
}
