package import WaybillAMQP
package import WaybillFleet
package import WaybillMongo

/// What broker, store and processes say of an installation, asked once.
///
/// Nothing is changed, and no message is taken off a queue: the broker is asked for numbers only.
package struct InstallationState {
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

    private var othersFindings: [FleetHealth.Finding] {
        let consumed = consumed
        let servers = brokerFindings + storeFindings
        // Without leases nothing is known of the processes, but what the broker sees of them.
        guard case .success = store else {
            return servers + (consumed.map { FleetHealth.unread($0, by: nil, now: now) } ?? [])
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

    /// What is told of a broker that answers.
    private var brokerFindings: [FleetHealth.Finding] {
        guard case .success(let broker) = broker else { return [] }
        // What processes say of themselves stands in the store.
        if case .failure = store { return broker.findings(running: nil) }
        return broker.findings(running: running)
    }

    /// What is told of a store that answers.
    private var storeFindings: [FleetHealth.Finding] {
        guard case .success(let store) = store else { return [] }
        return store.findings(running: running, now: now)
    }

    /// The processes that are up.
    var present: [Lease] { leases.filter { FleetHealth.isPresent($0, now: now) } }

    private var running: Set<String> { Set(present.map(\.role)) }
}
