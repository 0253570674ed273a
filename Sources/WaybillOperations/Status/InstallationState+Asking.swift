import WaybillAMQP
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillFleet
package import WaybillMessages
package import WaybillMongo
import WaybillOutbox
import WaybillReceipts
package import WaybillSettings
import WaybillThreads

extension InstallationState {
    /// What the store says of an installation, and processes of themselves there.
    struct StoreAnswer: Sendable {
        var store: Result<Store, MongoError>
        var leases = LeaseReader.Found()
        /// The store's own time, in milliseconds since 1970.
        var clock: Int64?
    }

    /// Asks.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool, and of a connection to the broker.
    ///
    /// - Parameters:
    ///   - broker: asked over a connection of its own.
    ///   - client: asks the store.
    ///   - database: where Waybill's collections are.
    ///   - topology: the queues as they should be.
    ///   - silent: what has just been found not to answer, and is not waited for again.
    package init(
        _ broker: BrokerSettings,
        _ client: MongoClient,
        database: String,
        _ topology: Topology,
        silent: Set<Server> = []
    ) {
        self.init(
            broker: silent.contains(.broker)
                ? Self.silence(ofBroker: Self.wasSilent) : Self.answer(of: broker, topology),
            silent.contains(.store) ? StoreAnswer(silence: Self.wasSilent) : StoreAnswer(client, database: database)
        )
    }

    init(broker: Result<Broker, AMQPError>, _ answer: StoreAnswer) {
        self.init(
            broker: broker,
            store: answer.store,
            leases: answer.leases.leases,
            unreadableLeases: answer.leases.unreadable,
            // Leases are dated by the store, and how old they are must not depend on this host's clock.
            now: answer.clock ?? WallClock.milliseconds()
        )
    }

    /// One of the two that are asked.
    package enum Server: Hashable, Sendable {
        case broker, store
    }

    private static let wasSilent = "it did not answer before"

    /// What stands for the answer of a broker that gives none.
    static func silence(ofBroker words: String) -> Result<Broker, AMQPError> {
        .failure(AMQPError(.unreachable, operation: "", text: words, closesConnection: true))
    }

    /// Asks the broker; *blocking* up to the limits of a connection.
    static func answer(of settings: BrokerSettings, _ topology: Topology) -> Result<Broker, AMQPError> {
        Result { () throws(AMQPError) in try ask(settings, topology) }
    }

    private static func ask(_ settings: BrokerSettings, _ topology: Topology) throws(AMQPError) -> Broker {
        let endpoint = try settings.endpoint(for: "status")
        let connection = try AMQPConnection.open(endpoint, timeout: .seconds(5))
        defer { connection.close() }
        let names = topology.names
        var broker = Broker()
        broker.management = settings.management.map { management in
            Result { () throws(ManagementReport.Failure) in
                try ManagementReport(asking: management, virtualHost: endpoint.virtualHost)
            }
        }
        var missing: [String] = []
        for queue in topology.queues {
            let state: AMQPQueueState
            do throws(AMQPError) {
                state = try connection.inspectQueue(queue.name)
            } catch {
                guard error.code == .notFound else { throw error }
                missing.append(queue.name)
                try connection.reopenChannel()
                continue
            }
            if names.consumed.contains(queue.name) {
                broker.consumed.append(
                    FleetHealth.Queue(name: queue.name, messages: state.messages, consumers: state.consumers)
                )
            } else if queue.name == names.rejected {
                broker.rejected = broker.count(in: queue.name, ready: state.messages, readers: state.consumers)
            } else if queue.name == names.invalidTokens {
                broker.tokenEvents = state.messages
            } else if queue.name == names.audience {
                broker.audiences = state.messages
            } else {
                broker.delayed += state.messages
            }
        }
        guard !missing.isEmpty else { return broker }
        guard !broker.consumed.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw AMQPError(.notFound, operation: "look for the queues", text: names, closesConnection: false)
        }
        broker.missing = MissingQueues(missing, added: names.dispatchQueues.dropFirst())
        return broker
    }
}

extension InstallationState.StoreAnswer {
    /// Asks the store.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    init(_ client: MongoClient, database: String) {
        var leases = LeaseReader.Found()
        var clock: Int64?
        store = Result { () throws(MongoError) in
            let reader = LeaseReader(client: client, database: database)
            leases = try reader.found()
            clock = try client.clock()
            if FleetHealth.areAllSilent(leases.leases, now: clock ?? WallClock.milliseconds()) {
                // Just after an outage of the store nobody has been able to write: they are given the time for it.
                NamedThread.sleep(for: Lease.interval * 3 / 2) { false }
                leases = try reader.found()
                clock = try client.clock()
            }
            let log = DeliveryLogSize(client: client, database: database)
            return InstallationState.Store(
                deployment: try client.deployment(),
                records: try log.records(),
                nextExpiry: try log.nextExpiry(),
                lag: try client.majorityLag(),
                overdueMails: try MailOutbox(client: client, database: database)
                    .overdue(for: InstallationState.Store.longestMailWait, now: WallClock.milliseconds()),
                waitingRepeats: try WaitingRepeats(client, database, leases.leases, now: clock),
                waitingNotifications: try WaitingNotifications.count(client, database, leases.leases, now: clock),
                webhooks: try WebhookTroubles(
                    client,
                    database,
                    lateAfter: InstallationState.Store.longestMailWait,
                    now: WallClock.milliseconds()
                ),
                fuses: try FuseControl(client: client, database: database).survey()
            )
        }
        self.leases = leases
        self.clock = clock
    }

    /// Stands for the answer of a store that gives none.
    init(silence words: String) {
        self.init(store: .failure(MongoError(code: .unreachable, operation: "", reason: words)))
    }
}
