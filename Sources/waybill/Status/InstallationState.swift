import WaybillAMQP
import WaybillDeliveryLog
import WaybillFleet
import WaybillMessages
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// What broker, store and processes say of an installation, asked once.
///
/// Nothing is changed, and no message is taken off a queue: the broker is asked for numbers only.
struct InstallationState {
    /// The broker's queues, in the order in which messages pass them.
    struct Broker {
        var consumed: [FleetHealth.Queue] = []
        /// Messages that wait for their delay to be over, all queues together.
        var delayed = 0
        var rejected = 0
        var tokenEvents = 0
    }

    struct Store {
        var deployment: MongoDeployment
        /// Records in the log, about.
        var records: Int
        /// When the next record expires, in milliseconds since 1970; `nil` when none does.
        var nextExpiry: Int64?
    }

    /// What the broker says, or why it does not.
    let broker: Result<Broker, AMQPError>
    /// What the store says, or why it does not.
    let store: Result<Store, MongoError>
    /// Of all processes; empty while the store is away.
    let leases: [Lease]
    /// When it was asked, in milliseconds since 1970.
    let now: Int64

    /// How the installation does.
    var health: FleetHealth {
        var findings: [FleetHealth.Finding] = []
        var consumed: [FleetHealth.Queue]?
        switch broker {
        case .success(let broker): consumed = broker.consumed
        case .failure(let error): findings.append(FleetHealth.Finding(.down, "the broker does not answer: \(error)"))
        }
        switch store {
        case .success(let store):
            if case .replicaSet(let name, _, hasPrimary: false) = store.deployment {
                findings.append(FleetHealth.Finding(.down, "the replica set \(name) has no primary"))
            }
            return FleetHealth(leases: leases, consumed: consumed, now: now).adding(findings)
        case .failure(let error):
            // Without leases nothing is known of the processes.
            findings.append(FleetHealth.Finding(.down, "the store does not answer: \(error)"))
            return FleetHealth(findings)
        }
    }
}

extension InstallationState {
    /// Asks.
    ///
    /// - Throws: for settings that cannot work.
    init(_ broker: BrokerSettings, _ store: StoreSettings, _ topology: Topology) throws {
        self.broker = Result { () throws(AMQPError) in try Self.ask(broker, topology) }
        var leases: [Lease] = []
        let pool = try store.pool(for: "status")
        self.store = Result { () throws(MongoError) in
            try pool.withClient { (client) throws(MongoError) in
                leases = try LeaseReader(client: client, database: store.database).leases()
                let log = DeliveryLogSize(client: client, database: store.database)
                return Store(
                    deployment: try client.deployment(),
                    records: try log.records(),
                    nextExpiry: try log.nextExpiry()
                )
            }
        }
        self.leases = leases
        now = WallClock.milliseconds()
    }

    private static func ask(_ settings: BrokerSettings, _ topology: Topology) throws(AMQPError) -> Broker {
        let connection = try AMQPConnection.open(settings.endpoint(for: "status"))
        defer { connection.close() }
        let names = topology.names
        var broker = Broker()
        for queue in topology.queues {
            let state = try connection.inspectQueue(queue.name)
            if names.consumed.contains(queue.name) {
                broker.consumed.append(
                    FleetHealth.Queue(name: queue.name, messages: state.messages, consumers: state.consumers)
                )
            } else if queue.name == names.rejected {
                broker.rejected = state.messages
            } else if queue.name == names.invalidTokens {
                broker.tokenEvents = state.messages
            } else {
                broker.delayed += state.messages
            }
        }
        return broker
    }
}
