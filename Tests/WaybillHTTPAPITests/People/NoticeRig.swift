import Foundation
import Testing
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillAccounts
@testable import WaybillHTTPAPI

/// A server with accounts and services, a broker with queues of its own, and two people: Ada, who owns a service, and Eve, who is a
/// stranger to it.
struct NoticeRig {
    static let isPossible =
        TestDatabase.isAvailable && ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"] != nil
    static let app = "com.example.parcels"
    static let token = String(repeating: "00fc13ad", count: 8)

    let people: PeopleRig
    let connection: AMQPConnection
    let queues: QueueNames
    /// Ada's service.
    let service: String
    let ada: PeopleRig.Session
    let eve: PeopleRig.Session
    let account: String

    var api: APIRig.Running { people.server }

    static func run(
        limits: AccountSettings.Limits = .init(),
        fcm: NotifireServiceSettings.FCM? = nil,
        testLane: String? = "rehearsal",
        examination: AudienceExamination? = nil,
        _ body: (NoticeRig) async throws -> Void
    ) async throws {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"])
        let prefix = "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let topology = Topology(names: QueueNames(prefix: prefix), delaySteps: [DelayStep(seconds: 1)])
        let connection = try AMQPConnection.open(
            try AMQPEndpoint(url: url, connectionName: "NoticeTests"),
            timeout: .seconds(20)
        )
        _ = try topology.declare(on: connection)
        defer {
            if !connection.isChannelOpen { try? connection.reopenChannel() }
            for queue in topology.queues { try? connection.deleteQueue(queue.name) }
            try? connection.deleteExchange(topology.names.exchange)
            try? connection.deleteExchange(topology.names.replayExchange)
            connection.close()
        }
        let folder = try TemporaryFolder()
        let root = try folder.write("root", String(repeating: "root secret ", count: 4))
        let settings = { (port: Int) in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                page: nil,
                accounts: AccountSettings(
                    baseURL: "https://push.example.com",
                    roots: .init(file: root),
                    hashing: .init(memory: 64, passes: 1),
                    limits: limits,
                    services: .init(testLane: testLane)
                ),
                notifire: NotifireSettings(services: .init(app: app, lane: "parcels", fcm: fcm))
            )
        }
        try await APIRig.run(
            broker: BrokerSettings(url: url, queuePrefix: prefix),
            campaigns: PostedRules(client: "notifications", examination: examination),
            settings: settings
        ) { api in
            try api.pool.withClient { client throws(MongoError) in
                _ = try AccountsIndexes.ensure(client: client, database: api.database)
                _ = try DeviceRegistryIndexes.ensure(client: client, database: api.database)
                _ = try NotificationIndexes.ensure(client: client, database: api.database)
            }
            let people = PeopleRig(server: api)
            try await people.person()
            try await people.person("Eve.Stranger", "eve@example.com")
            let (ada, eve) = (try await people.session(), try await people.session("eve.stranger"))
            let account = try #require(
                try await people.ask("GET", "/v1/account", token: ada.access).json["id"] as? String
            )
            let service = try Self.service(of: account, api)
            // Until its connection stands.
            try await Self.until { api.lines().contains { $0.contains("api.brokerConnected") } }
            try await body(
                NoticeRig(
                    people: people,
                    connection: connection,
                    queues: topology.names,
                    service: service,
                    ada: ada,
                    eve: eve,
                    account: account
                )
            )
        }
    }

    static func until(_ condition: () async throws -> Bool) async throws {
        let deadline = MonotonicTime.now().advanced(by: .seconds(20))
        while try await !condition() {
            try #require(MonotonicTime.now() < deadline)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func service(of account: String, _ api: APIRig.Running) throws -> String {
        let keys = try #require(TokenKeys(root: Array(String(repeating: "root secret ", count: 4).utf8)))
        let name = try #require(ServiceName("Backups"))
        let client = try api.pool.pop()
        defer { api.pool.push(client) }
        return try ServiceStore(client: client, database: api.database, secrets: keys.serviceKeys).create(
            owner: account,
            name: name,
            levels: [NotificationLevels(.info), NotificationLevels(.error)],
            now: WallClock.milliseconds()
        ).service.id
    }

    /// Lets somebody into Ada's service.
    func join(_ account: String, as role: ServiceRole) throws {
        let client = try api.pool.pop()
        defer { api.pool.push(client) }
        _ = try ServiceMembers(client: client, database: api.database)
            .join(service, account, as: role, most: 100, now: WallClock.milliseconds())
    }

    /// Has the store refuse every document of a collection for which this does not hold, as one would that has no room.
    func require(
        in collection: String,
        _ condition: @escaping @Sendable (BSONWriter) -> Void = { _ in }
    ) throws {
        try api.pool.withClient { client throws(MongoError) in
            try TestDatabase.require(in: collection, of: api.database, client, condition)
        }
    }

    /// Makes a key of Ada's service.
    func key(_ scopes: Set<ServiceKeyScope>, kind: KeySecret.Mode = .live) throws -> String {
        let client = try api.pool.pop()
        defer { api.pool.push(client) }
        return try ServiceKeyStore(client: client, database: api.database, most: 20).create(
            ServiceKeyRequest(name: try #require(ServiceName("job")), kind: kind, scopes: scopes),
            for: service,
            by: account,
            now: WallClock.milliseconds()
        ).secret.reveal()
    }

    /// What the server has besides its routes, once more.
    func door(report: @escaping @Sendable (APIEvent) -> Void = { _ in }) throws -> FrontDoor {
        let folder = try TemporaryFolder()
        let settings = AccountSettings(
            baseURL: "https://push.example.com",
            roots: .init(file: try folder.write("root", String(repeating: "root secret ", count: 4)))
        )
        return try FrontDoor(settings: settings, database: api.database, pool: api.pool, report: report)
    }

    func send(
        _ key: String,
        _ members: [String: Any],
        name: String? = nil
    ) async throws -> APIRig.Answer {
        var headers = ["Content-Type": "application/json"]
        headers["Idempotency-Key"] = name
        return try await api.ask(
            "/v1/notifications",
            key: key,
            method: "POST",
            headers: headers,
            body: try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
        )
    }

    /// The bodies that wait in the queue for the dispatchers.
    func messages() throws -> [[String: Any]] {
        var found: [[String: Any]] = []
        while let delivery = try connection.get(queue: queues.dispatch) {
            let json = try JSONSerialization.jsonObject(with: Data(delivery.body))
            found.append(try #require(json as? [String: Any]))
        }
        return found
    }
}
