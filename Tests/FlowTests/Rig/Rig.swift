import Foundation
import WaybillAMQP
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport

/// A whole Waybill of its own: queues with a private prefix, a private database, a simulator, a configuration file.
///
/// Everything it made is removed by ``tearDown()``; the servers stay.
final class Rig {
    let services: TestServices
    let folder: URL
    let prefix: String
    let queues: QueueNames
    let database: String
    let simulator: Simulator
    let configurationFile: URL
    private(set) var dispatchers: [Program] = []
    private var connection: AMQPConnection?
    let pool: MongoPool
    private let steps: [String]

    /// A lane of the configuration beside the first, which is called `parcels`.
    struct ExtraLane {
        var name: String
        var port: Int
        var bundleID = "com.example.parcels"
        var trustFile: String?
        /// For a lane to FCM: the file with the service account's key, in the rig's folder.
        var serviceAccountFile: String?
    }

    /// Makes the world and runs `waybill init` in it.
    ///
    /// The shared servers are used if no others are named. `settings` is further YAML, appended at top level; `lanes`
    /// makes further lanes, once the folder with the credentials is there.
    init(
        services: TestServices? = nil,
        rules: String? = nil,
        simulatorArguments: [String] = [],
        settings: String = "",
        numberedQueues: Int = 0,
        trustFile: String = "ca.pem",
        unknownClients: String = "keep",
        steps: [String] = ["1s", "2s", "4s"],
        lanes: (URL) async throws -> [ExtraLane] = { _ in [] }
    ) async throws {
        guard let services = services ?? TestServices.shared else { throw RigError("no servers: run scripts/test.sh") }
        self.services = services
        self.steps = steps
        let name = "flow\(UInt32.random(in: 0...UInt32.max))"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-\(name)")
        prefix = name
        queues = QueueNames(prefix: name, numberedQueues: numberedQueues)
        database = name
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Simulator.makeCredentials(in: folder)
        simulator = try await Simulator(in: folder, rules: rules, arguments: simulatorArguments)
        pool = try SharedPool.of(services.store)
        configurationFile = folder.appendingPathComponent("waybill.yaml")
        let all = [ExtraLane(name: "parcels", port: simulator.port, trustFile: trustFile)] + (try await lanes(folder))
        var text = """
            broker:
              url: \(services.broker)
              queue_prefix: \(prefix)
              dispatch_queues: \(numberedQueues)
            store:
              url: \(services.store)
              database: \(database)
            retention:
              default: 30d
              unknown: \(unknownClients)
              clients: {keeper: keep, brief: 1d}
            retry:
              steps: [\(steps.joined(separator: ", "))]
            lanes:

            """
        for lane in all {
            text += "  - name: \(lane.name)\n"
            if let file = lane.serviceAccountFile {
                text += """
                        provider: fcm
                        service_account_file: \(folder.path)/\(file)

                    """
            } else {
                text += """
                        environment: production
                        bundle_id: \(lane.bundleID)
                        team_id: ABCDE12345
                        key_id: ABC123DEFG
                        key_file: \(folder.path)/AuthKey_ABC123DEFG.p8

                    """
            }
            text += """
                    connections: 2
                    endpoint: https://localhost:\(lane.port)
                    trust_file: \(folder.path)/\(lane.trustFile ?? "ca.pem")

                """
        }
        try (text + settings + "\n").write(to: configurationFile, atomically: true, encoding: .utf8)
        let result = try Program.run("waybill", ["init", "--config", configurationFile.path])
        guard result.status == 0 else { throw RigError("waybill init: \(result.errors)\(result.output)") }
    }

    // MARK: - Programs

    /// Runs a command with this rig's configuration to its end.
    func waybill(_ arguments: String..., input: String? = nil) throws -> Program.Result {
        try waybill(arguments, input: input)
    }

    /// Runs a command that finds no room for what it writes.
    func waybillOnFullDisk(_ arguments: [String]) throws -> Program.Result {
        try Program.run(
            "waybill",
            arguments + ["--config", configurationFile.path],
            standardOutput: FileHandle(forWritingAtPath: "/dev/full")
        )
    }

    /// As with arguments one by one, for those that are put together.
    func waybill(_ arguments: [String], input: String? = nil) throws -> Program.Result {
        try Program.run("waybill", arguments + ["--config", configurationFile.path], input: input)
    }

    /// Starts a dispatcher.
    @discardableResult
    func startDispatcher() throws -> Program { try start("dispatch") }

    /// Starts a pruning worker.
    @discardableResult
    func startPruner() throws -> Program { try start("prune") }

    /// Starts a command that runs until it is told to end.
    func start(_ command: String..., standardOutput: FileHandle? = nil) throws -> Program {
        let arguments = command + ["--config", configurationFile.path]
        let program = try Program("waybill", arguments, standardOutput: standardOutput)
        dispatchers.append(program)
        return program
    }

    /// What all programs have said, for a failure's message.
    var log: String { dispatchers.map(\.errorText).joined(separator: "\n---\n") }

    // MARK: - Broker

    /// A connection for the test's own use; made anew after a broker's restart.
    func broker() throws -> AMQPConnection {
        if let connection { return connection }
        let endpoint = try AMQPEndpoint(
            url: services.broker,
            password: nil,
            caFile: nil,
            connectionName: "flow tests"
        )
        let opened = try AMQPConnection.open(endpoint, timeout: .seconds(10))
        try opened.enableConfirms()
        connection = opened
        return opened
    }

    /// Forgets the connection, after the broker was restarted.
    func forgetBroker() {
        connection?.close()
        connection = nil
    }

    /// Publishes a body to the dispatch queue and waits for the confirm.
    func publish(_ body: String, messageID: String? = nil, timestamp: UInt64? = nil, to queue: String? = nil) throws {
        var properties = AMQPProperties()
        properties.messageID = messageID
        properties.timestamp = timestamp
        try publish(Array(body.utf8), properties, to: queue)
    }

    /// Publishes bytes; to the plain dispatch queue unless another one is named.
    ///
    /// As a producer does, by the exchange, where that leads to the queue.
    func publish(_ body: [UInt8], _ properties: AMQPProperties, to queue: String? = nil) throws {
        var properties = properties
        properties.isPersistent = true
        let broker = try broker()
        let sequence = try broker.publish(
            exchange: queue.map { queues.reachedByProducers.contains($0) ? queues.exchange : "" } ?? queues.exchange,
            routingKey: queue ?? queues.dispatch,
            mandatory: true,
            properties: properties,
            body: body
        )
        while true {
            guard let event = try broker.nextEvent(timeout: .seconds(5)) else { throw RigError("no confirm") }
            if case .confirmed(let tag, let multiple) = event, tag == sequence || (multiple && tag > sequence) {
                return
            }
        }
    }

    /// Messages waiting in a queue; those in flight do not count.
    func depth(of queue: String) throws -> Int {
        try broker().inspectQueue(queue).messages
    }

    /// Takes everything that waits in a queue.
    func takeAll(from queue: String) throws -> [AMQPDelivery] {
        var deliveries: [AMQPDelivery] = []
        while let delivery = try broker().get(queue: queue) {
            try broker().acknowledge(delivery.deliveryTag, multiple: false)
            deliveries.append(delivery)
        }
        return deliveries
    }

    /// Whether the simulator has received so many requests.
    func simulatorHasSeen(_ count: Int) throws -> Bool {
        try simulator.received().count >= count
    }

    // MARK: - Store

    /// Makes the log one of 0.2.0 with a record: without `day`, and with the index of tokens of that release.
    func makeFormerLog(holding token: String) throws {
        let drop = BSONDocument { command in
            command.append("dropIndexes", string: "deliveries")
            command.append("index", string: "day_device_token")
        }
        let create = BSONDocument { command in
            command.append("createIndexes", string: "deliveries")
            command.append(
                "indexes",
                array: { array in
                    array.append(document: { index in
                        index.append("key") { key in
                            key.append("device_token", string: "hashed")
                            key.append("date", int: -1)
                        }
                        index.append("name", string: "device_token_date")
                    })
                }
            )
        }
        try pool.withClient { (client) throws(MongoError) in
            for command in [drop, create] { _ = try client.command(database: database, command) }
            let record = BSONWriter()
            record.append("_id", uuid: 7, 8)
            record.append("device_token", string: token)
            record.append("outcome", string: "accepted")
            record.append("date", date: Int64(Date().timeIntervalSince1970 - 60) * 1000)
            record.append("batch_id", string: "before")
            record.append("lane", string: "parcels")
            record.append("attempts", int: 1)
            let bulk = client.collection(database: database, name: "deliveries").bulk()
            try bulk.insert(record)
            try bulk.execute().requireDurable("insert")
        }
    }

    /// Makes an index of somebody else's, which deletes records some time after their date: `a_day_by_date`.
    func deleteByDate(after seconds: Int) throws {
        let command = BSONDocument { writer in
            writer.append("createIndexes", string: "deliveries")
            writer.append(
                "indexes",
                array: { array in
                    array.append(document: { index in
                        index.append("key", document: { $0.append("date", int: 1) })
                        index.append("name", string: "a_day_by_date")
                        index.append("expireAfterSeconds", int: seconds)
                    })
                }
            )
        }
        _ = try pool.withClient { client throws(MongoError) in try client.command(database: database, command) }
    }

    // MARK: - End

    /// Ends the programs, asks the broker whether anything was left unacknowledged, and removes queues and database.
    func tearDown() {
        for dispatcher in dispatchers { dispatcher.signal(SIGKILL) }
        for dispatcher in dispatchers { _ = dispatcher.wait() }
        simulator.stop()
        if let broker = try? broker() {
            let delays = steps.map { "\(prefix).delay.\($0)" }
            for queue in queues.consumed + [queues.audience, queues.rejected, queues.invalidTokens] + delays {
                try? broker.deleteQueue(queue)
            }
            try? broker.deleteExchange(queues.exchange)
            try? broker.deleteExchange(queues.replayExchange)
        }
        forgetBroker()
        let command = BSONWriter()
        command.append(name: "dropDatabase", int: 1)
        _ = try? pool.withClient { client throws(MongoError) in
            try client.command(database: database, command.document)
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
