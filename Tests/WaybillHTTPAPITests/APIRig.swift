import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillSettings
import WaybillTelemetry
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// A server of the API with a database of its own, over real sockets.
enum APIRig {
    typealias Answer = HTTPAnswer

    /// Nobody answers there.
    static let nowhere = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200&connectTimeoutMS=200"

    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// Runs a server as long as the body does; its answers come at even times, but soon.
    ///
    /// Over the real store, where none is named.
    static func run(
        store url: String? = nil,
        broker: BrokerSettings = BrokerSettings(url: "amqp://127.0.0.1:1/", queuePrefix: "test"),
        tail: TailLimits = TailLimits(),
        evenTime: EvenTime = EvenTime(step: .milliseconds(10)),
        patience: ClientPatience = ClientPatience(),
        campaigns: PostedRules = PostedRules(client: "notifications", examination: nil),
        settings: (Int) -> ServeSettings = { ServeSettings(listen: .init(host: "127.0.0.1", port: UInt16($0))) },
        _ body: (Running) async throws -> Void
    ) async throws {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in
            JSONLogHandler(
                label: "test",
                level: .info,
                destination: LineDestination { line in lines.lines.withLock { $0.append(line) } }
            )
        }
        try await withStore(url) { pool, database in
            let (ports, listening) = AsyncStream<Int>.makeStream()
            let server = try APIServer(
                settings: settings(0),
                pool: pool,
                backend: APIBackend(
                    log: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
                    broker: broker,
                    lanes: ["parcels"],
                    campaigns: campaigns,
                    status: { #"{"grade":"healthy"}"# }
                ),
                tail: tail,
                evenTime: evenTime,
                patience: patience,
                logger: logger,
                onListening: { listening.yield($0) }
            )
            let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
            let run = Task { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let running = Running(port: port, database: database, pool: pool, server: server) {
                lines.lines.withLock { $0 }
            }
            do {
                try await body(running)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await run.value
        }
    }

    private static func withStore(_ url: String?, _ body: (MongoPool, String) async throws -> Void) async throws {
        if let url {
            try await body(SharedPool.of(url), "test")
        } else {
            try await TestDatabase.withPool(body)
        }
    }

    /// Runs a server that offers all of ours, and nothing of the thesis', over a store that nobody reaches.
    static func runWithAccounts(_ body: (Running) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let root = try folder.write("root", String(repeating: "root secret ", count: 4))
        let keys = try folder.write("receipts", "k1 \(String(repeating: "secret", count: 6))\n")
        try await run(
            store: nowhere,
            settings: { port in
                ServeSettings(
                    listen: .init(host: "127.0.0.1", port: UInt16(port)),
                    accounts: AccountSettings(baseURL: "https://push.example.com", roots: .init(file: root)),
                    receipts: ReceiptSettings(keyFile: keys, retention: .keep)
                )
            },
            body
        )
    }

    struct Running: Sendable {
        let port: Int
        let database: String
        let pool: MongoPool
        let server: APIServer
        let lines: @Sendable () -> [String]

        /// What a counter says.
        func counted(_ name: String, _ labels: MetricLabels = [:]) -> Double? {
            var page = MetricsPage()
            server.measure(into: &page)
            return page.value(name, labels)
        }

        /// How often something was refused that nobody sends by mistake.
        func refused(_ refusal: RefusalTally.Refusal) -> Double? {
            counted("waybill_api_refused_total", ["reason": refusal.rawValue])
        }

        /// How many connections the server has closed because of their clients.
        func closed(_ closing: RefusalTally.Closing) -> Double? {
            counted("waybill_api_connections_closed_total", ["reason": closing.rawValue])
        }

        /// Makes a key.
        func key(
            _ role: Role,
            _ clients: ClientScope = .all,
            expiresAt: Int64? = nil
        ) throws -> (key: AccessKey, text: String) {
            let client = try pool.pop()
            defer { pool.push(client) }
            let made = try KeyIssuer(client: client, database: database).create(
                KeyIssuer.Request(name: "test", role: role, clients: clients, expiresAt: expiresAt),
                by: "test",
                now: 0
            )
            return (made.key, made.secret.reveal())
        }

        /// Puts a record into the log.
        func record(
            _ id: NotificationID,
            client: String?,
            token: String = String(repeating: "00fc13ad", count: 8),
            outcome: String = "accepted",
            date: Int64 = 1_700_000_000_000,
            batch: String? = nil,
            topic: String? = nil,
            message: String? = nil,
            givenID: NotificationID? = nil,
            content: UInt64? = nil
        ) throws {
            try pool.withClient { (store) throws(MongoError) in
                _ = try DeliveryLogIndexes.ensure(client: store, database: database)
                let document = BSONWriter(capacity: 512)
                document.append("_id", uuid: id.high, id.low)
                document.append("device_token", string: token)
                document.append("outcome", string: outcome)
                document.append("date", date: date)
                document.append("day", int: Int(date / 86_400_000))
                if let client { document.append("client", string: client) }
                if let batch { document.append("batch_id", string: batch) }
                document.append("lane", string: "parcels")
                if let topic {
                    document.append("topic", string: topic)
                    document.append("push_type", string: "alert")
                }
                document.append("attempts", int: 1)
                if let message { document.append("message", string: message) }
                if let givenID { document.append("apns_id", uuid: givenID.high, givenID.low) }
                if let content { document.append("content", string: Fingerprint.text(content)) }
                let bulk = store.collection(database: database, name: "deliveries").bulk()
                try bulk.insert(document)
                try bulk.execute().requireDurable("insert")
            }
        }

        /// Puts many records into the log at once.
        func records(_ ids: [NotificationID], client: String) throws {
            try pool.withClient { (store) throws(MongoError) in
                let bulk = store.collection(database: database, name: "deliveries").bulk()
                for id in ids {
                    let document = BSONWriter(capacity: 512)
                    document.append("_id", uuid: id.high, id.low)
                    document.append("outcome", string: "accepted")
                    document.append("date", date: 1_700_000_000_000)
                    document.append("client", string: client)
                    try bulk.insert(document)
                }
                try bulk.execute().requireDurable("insert")
            }
        }

        /// Puts a device into the registry.
        func device(_ token: String, client: String) throws {
            try pool.withClient { (store) throws(MongoError) in
                let device = BSONWriter()
                device.append("provider", string: "apns")
                device.append("app", string: "com.example.app")
                device.append("token", string: token)
                device.append("enabled", bool: true)
                device.append("client", string: client)
                device.append("registered_at", date: 5)
                let bulk = store.collection(database: database, name: "devices").bulk()
                try bulk.insert(device)
                try bulk.execute().requireDurable("register")
            }
        }

        /// What is in a collection.
        func documents(_ collection: String) throws -> [BSONDocument] {
            try pool.withClient { (client) throws(MongoError) in
                try client.collection(database: database, name: collection).find(.empty).all()
            }
        }

        /// Asks over HTTP.
        func ask(
            _ path: String,
            key: String? = nil,
            method: String = "GET",
            headers: [String: String] = [:],
            body: Data? = nil
        ) async throws -> Answer {
            var headers = headers
            if let key { headers["Authorization"] = "Bearer \(key)" }
            return try await HTTPAnswer.of(port: port, path, method: method, headers: headers, body: body)
        }
    }
}
