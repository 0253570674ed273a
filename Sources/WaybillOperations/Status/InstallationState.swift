package import WaybillAMQP
import WaybillDeliveryLog
package import WaybillFleet
package import WaybillMessages
package import WaybillMongo
package import WaybillSettings
import WaybillThreads

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

        package init(consumed: [FleetHealth.Queue] = [], delayed: Int = 0, rejected: Int = 0, tokenEvents: Int = 0) {
            self.consumed = consumed
            self.delayed = delayed
            self.rejected = rejected
            self.tokenEvents = tokenEvents
        }
    }

    package struct Store {
        package var deployment: MongoDeployment
        /// Records in the log, about.
        package var records: Int
        /// When the next record expires, in milliseconds since 1970; `nil` when none does.
        package var nextExpiry: Int64?

        package init(deployment: MongoDeployment, records: Int, nextExpiry: Int64?) {
            self.deployment = deployment
            self.records = records
            self.nextExpiry = nextExpiry
        }
    }

    /// What the broker says, or why it does not.
    package let broker: Result<Broker, AMQPError>
    /// What the store says, or why it does not.
    package let store: Result<Store, MongoError>
    /// Of all processes; empty while the store is away.
    package let leases: [Lease]
    /// When it was asked, in milliseconds since 1970.
    package let now: Int64

    package init(
        broker: Result<Broker, AMQPError>,
        store: Result<Store, MongoError>,
        leases: [Lease],
        now: Int64
    ) {
        self.broker = broker
        self.store = store
        self.leases = leases
        self.now = now
    }

    /// How the installation does.
    package var health: FleetHealth {
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
    package init(_ broker: BrokerSettings, _ store: StoreSettings, _ topology: Topology) throws {
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
