import Foundation
import Testing
import WaybillAMQP
import WaybillAccounts
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillSettings
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// Route 14 of the thesis, with a real broker: `POST /notify`.
@Suite(
    .enabled(if: TestDatabase.isAvailable && ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"] != nil),
    .timeLimit(.minutes(2))
)
struct NotifireNotifyTests {
    private static let root = String(repeating: "root secret ", count: 4)
    private static let app = "com.example.parcels"
    private static let token = String(repeating: "00fc13ad", count: 8)
    private static let patience = Duration.seconds(20)

    struct Rig {
        let api: APIRig.Running
        let connection: AMQPConnection
        let queues: QueueNames
        /// Of a service whose warnings are switched off.
        let key: String
        let service: String

        func notify(_ body: String, headers: [String: String] = [:]) async throws -> APIRig.Answer {
            let fields = headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
            return try await api.ask("/notify", method: "POST", headers: fields, body: Data(body.utf8))
        }

        func body(_ level: Int, _ text: String = "Done", key: String? = nil) -> String {
            #"{"serviceKey":"\#(key ?? self.key)","level":\#(level),"body":"\#(text)"}"#
        }

        /// What waits in the queue for the dispatchers.
        func messages() throws -> [AMQPDelivery] {
            var found: [AMQPDelivery] = []
            while let delivery = try connection.get(queue: queues.dispatch) { found.append(delivery) }
            return found
        }

        /// As a front door of the thesis publishes it.
        func put(_ body: [UInt8], in queue: String) throws {
            _ = try connection.publish(routingKey: queue, properties: AMQPProperties(), body: body)
        }

        func eventually(_ condition: () throws -> Bool) async throws {
            let deadline = MonotonicTime.now().advanced(by: NotifireNotifyTests.patience)
            while try !condition() {
                try #require(MonotonicTime.now() < deadline)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The queues of the thesis are declared where they are named.
    func run(
        limit: Int = 1000,
        perDay: Int = 1000,
        readQueue: String? = nil,
        writeQueue: String? = nil,
        _ test: (Rig) async throws -> Void
    ) async throws {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"])
        let prefix = "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let topology = Topology(names: QueueNames(prefix: prefix), delaySteps: [DelayStep(seconds: 1)])
        let connection = try AMQPConnection.open(
            try AMQPEndpoint(url: url, connectionName: "NotifyTests"),
            timeout: .seconds(20)
        )
        _ = try topology.declare(on: connection)
        let others = [readQueue, writeQueue].compactMap(\.self)
        for queue in others { _ = try connection.declareQueue(queue) }
        defer {
            if !connection.isChannelOpen { try? connection.reopenChannel() }
            for queue in topology.queues.map(\.name) + others { try? connection.deleteQueue(queue) }
            try? connection.deleteExchange(topology.names.exchange)
            try? connection.deleteExchange(topology.names.replayExchange)
            connection.close()
        }
        let folder = try TemporaryFolder()
        let root = try folder.write("root", Self.root)
        let settings = { (port: Int) in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                page: nil,
                accounts: AccountSettings(baseURL: "https://push.example.com", roots: .init(file: root)),
                notifire: NotifireSettings(
                    services: .init(
                        app: Self.app,
                        lane: "parcels",
                        burst: limit,
                        perMinute: 1,
                        perDay: perDay,
                        readQueue: readQueue,
                        writeQueue: writeQueue
                    )
                )
            )
        }
        try await APIRig.run(broker: BrokerSettings(url: url, queuePrefix: prefix), settings: settings) { api in
            let (service, key) = try prepare(api)
            let rig = Rig(api: api, connection: connection, queues: topology.names, key: key, service: service)
            // Until its connection stands.
            let deadline = MonotonicTime.now().advanced(by: Self.patience)
            while !api.lines().contains(where: { $0.contains("api.brokerConnected") }) {
                try #require(MonotonicTime.now() < deadline)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await test(rig)
        }
    }

    /// A service whose owner is logged in on one phone.
    private func prepare(_ api: APIRig.Running) throws -> (id: String, key: String) {
        let keys = try #require(TokenKeys(root: Array(Self.root.utf8)))
        let name = try #require(ServiceName("Backups"))
        let client = try api.pool.pop()
        defer { api.pool.push(client) }
        _ = try AccountsIndexes.ensure(client: client, database: api.database)
        _ = try DeviceRegistryIndexes.ensure(client: client, database: api.database)
        _ = try NotificationIndexes.ensure(client: client, database: api.database)
        let now = WallClock.milliseconds()
        let owner = BSONWriter()
        owner.append("_id", string: "acc_anna")
        let accounts = client.collection(database: api.database, name: "accounts").bulk()
        try accounts.insert(owner)
        try accounts.execute().requireDurable("insert")
        let own = try ServiceStore(client: client, database: api.database, secrets: keys.serviceKeys).create(
            owner: "acc_anna",
            name: name,
            levels: NotificationLevels(rawValue: 0b101),
            now: now
        )
        try UserDevices(client: client, database: api.database).logIn(
            user: "acc_anna",
            on: DeviceAddress(provider: .apns, app: Self.app, environment: .production, token: Self.token),
            client: nil,
            now: now
        )
        return (own.service.id, try #require(own.key).reveal())
    }

    @Test func whatIsAnsweredIsStoredAndInTheQueue() async throws {
        try await run { rig in
            let text =
                #"{"serviceKey":"\#(rig.key)","level":3,"body":"Disk \/","text":"90 %","url":"e.example"}"#
            let answer = try await rig.notify(text)
            #expect((answer.status, answer.text) == (204, ""))
            let messages = try rig.messages()
            #expect(messages.count == 1)
            let message = try #require(messages.first)
            let json = try #require(JSONSerialization.jsonObject(with: Data(message.body)) as? [String: Any])
            #expect(json["device_tokens"] as? [String] == [Self.token])
            #expect(json["lane"] as? String == "parcels")
            #expect(json["client"] as? String == "notifire")
            let payload = try #require(json["payload"] as? [String: Any])
            #expect(payload["aps"] as? NSDictionary == ["alert": ["body": "Disk /"], "mutable-content": 1])
            let notification = try #require(payload["notification"] as? [String: String])
            #expect(Set(notification.keys) == ["text", "url", "datetime", "level", "serviceUUID"])
            #expect(notification["level"] == "error")
            #expect(notification["serviceUUID"] == rig.service)
            let document = try #require(try rig.api.documents("notifications").first)
            #expect(document["_id"]?.string == json["batch_id"] as? String)
            #expect(message.properties.messageID == document["_id"]?.string)
            #expect(document["service"]?.string == rig.service)
        }
    }

    @Test func theServerSaysWhyItSendsNothing() async throws {
        try await run { rig in
            func code(_ answer: APIRig.Answer) -> Int? {
                #expect(answer.status == 200)
                #expect(answer.json["success"] as? Bool == false)
                return (answer.json["error"] as? [String: Any])?["code"] as? Int
            }
            for key in ["no key", String(repeating: "0", count: 64), ""] {
                #expect(code(try await rig.notify(rig.body(1, key: key))) == 1)
            }
            let off = try await rig.notify(rig.body(2))
            #expect(code(off) == 2)
            #expect(off.text.contains("notification not sent due to user notification level settings."))
            #expect(code(try await rig.notify(rig.body(3, String(repeating: "x", count: 4096)))) == 3)
            for body in [
                rig.body(0), rig.body(4), #"{"serviceKey":"\#(rig.key)","level":"1","body":"x"}"#,
                #"{"serviceKey":"\#(rig.key)","level":1}"#, #"{"level":1,"body":"x"}"#, rig.body(1, ""), "", "[]",
                #"{"serviceKey":"\#(rig.key)","level":1,"body":"x","url":5}"#,
            ] {
                #expect(try await rig.notify(body).status == 400, "\(body.replacing(rig.key, with: "KEY"))")
            }
            #expect(try rig.messages().isEmpty)
            #expect(try rig.api.documents("notifications").isEmpty)
            // Neither a key nor what was said is in the log.
            #expect(!rig.api.lines().contains { $0.contains(rig.key) || $0.contains("Done") })
        }
    }

    /// Many at once, and among them a service of so many people that it is taken by itself: each is one notification, in the queue once.
    @Test func manyAtOnceAreOneNotificationEach() async throws {
        try await run { rig in
            let api = rig.api
            try api.pool.withClient { client throws(MongoError) in
                let accounts = client.collection(database: api.database, name: "accounts").bulk()
                let members = client.collection(database: api.database, name: "memberships").bulk()
                for number in 0..<60 {
                    let account = BSONWriter()
                    account.append("_id", string: "acc_\(number)")
                    for field: StaticString in ["username_key", "email_key"] {
                        account.append(field, string: "acc_\(number)")
                    }
                    try accounts.insert(account)
                    let member = BSONWriter()
                    member.append("service", string: rig.service)
                    member.append("account", string: "acc_\(number)")
                    member.append("role", string: "member")
                    member.append("levels", int: 0b010)
                    try members.insert(member)
                }
                try accounts.execute().requireDurable("insert")
                try members.execute().requireDurable("insert")
            }
            let (levels, bodies) = ([1, 2, 3], (0..<90).map { "Number \($0)" })
            // The first one makes the key known: of those that nobody knows yet, few are looked up at once.
            #expect(try await rig.notify(rig.body(levels[0], bodies[0])).status == 204)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, body) in bodies.enumerated().dropFirst() {
                    let text = Data(rig.body(levels[number % 3], body).utf8)
                    group.addTask { try await api.ask("/notify", method: "POST", body: text).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 204, count: 89))
            let stored = try api.documents("notifications")
            #expect(Set(stored.compactMap { $0["body"]?.string }) == Set(bodies))
            #expect(stored.count == 90)
            // Warnings are for those who have no phone.
            let messages = try rig.messages()
            #expect(messages.count == 60)
            #expect(Set(messages.map(\.properties.messageID)).count == 60)
            #expect(try api.documents("receipts").count == 90 * 61)
            try await rig.eventually {
                try api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
            }
        }
    }

    /// A producer that had no answer asks again: one notification.
    @Test func theSameNameIsTheSameNotification() async throws {
        try await run { rig in
            for _ in 0..<2 {
                let answer = try await rig.notify(rig.body(1), headers: ["Idempotency-Key": "\"job-7\""])
                #expect(answer.status == 204)
            }
            let other = try await rig.notify(rig.body(1, "Other"), headers: ["Idempotency-Key": "job-7"])
            #expect(other.status == 400)
            #expect(try rig.api.documents("notifications").count == 1)
            // The second came before or after the first was noted as handed over: the same message then.
            #expect(Set(try rig.messages().map(\.body)).count == 1)
            #expect(try await rig.notify(rig.body(1)).status == 204)
            #expect(try rig.api.documents("notifications").count == 2)
        }
    }

    @Test func aServiceThatSaysTooMuchIsToldToWait() async throws {
        try await run(limit: 2) { rig in
            for _ in 0..<2 { #expect(try await rig.notify(rig.body(1)).status == 204) }
            let answer = try await rig.notify(rig.body(1))
            #expect(answer.status == 429)
            #expect(Int(answer.headers["retry-after"] ?? "") == 60)
            #expect(try rig.messages().count == 2)
        }
    }

    /// A new key is the same service.
    @Test func aNewKeyIsNoNewAllowance() async throws {
        try await run(limit: 2) { rig in
            for _ in 0..<2 { #expect(try await rig.notify(rig.body(1)).status == 204) }
            let keys = try #require(TokenKeys(root: Array(Self.root.utf8)))
            let client = try rig.api.pool.pop()
            let own = try ServiceStore(client: client, database: rig.api.database, secrets: keys.serviceKeys)
                .newKey(rig.service, by: "acc_anna", now: WallClock.milliseconds())
            rig.api.pool.push(client)
            let key = try #require(own.key).reveal()
            #expect(try await rig.notify(rig.body(1, key: key)).status == 429)
        }
    }

    @Test func aServiceSaysSoMuchADay() async throws {
        try await run(perDay: 3) { rig in
            for _ in 0..<3 { #expect(try await rig.notify(rig.body(1)).status == 204) }
            let answer = try await rig.notify(rig.body(1))
            #expect(answer.status == 429)
            #expect(answer.headers["retry-after"] == "28800")
        }
    }

    /// Whoever guesses keys is told to stop, and a service at the same address goes on.
    @Test func keysThatNobodyKnowsAreCounted() async throws {
        try await run { rig in
            #expect(try await rig.notify(rig.body(1)).status == 204)
            var statuses: Set<Int> = []
            let api = rig.api
            for round in 1...9 where !statuses.contains(429) {
                statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<60 {
                        let key = String(repeating: "0", count: 60) + "\(round * 1000 + number)"
                        let body = Data(#"{"serviceKey":"\#(key)","level":1,"body":"x"}"#.utf8)
                        group.addTask { try await api.ask("/notify", method: "POST", body: body).status }
                    }
                    return try await group.reduce(into: []) { $0.insert($1) }
                }
            }
            #expect(statuses.contains(429))
            #expect(try await rig.notify(rig.body(1)).status == 204)
        }
    }

    /// What a process stored before it ended is handed over by another one.
    @Test func whatWasLeftIsHandedOver() async throws {
        try await run { rig in
            let keys = try #require(TokenKeys(root: Array(Self.root.utf8)))
            let left = try rig.api.pool.withClient { client throws(MongoError) in
                let intake = NotificationIntake(
                    client: client,
                    database: rig.api.database,
                    route: .init(client: "notifire", app: Self.app, environment: .production, lane: "parcels"),
                    keep: .seconds(86_400),
                    secrets: keys.serviceKeys,
                    owner: "gone"
                )
                guard let key = ServiceKey(shown: rig.key) else { return NotificationAnswer.unknownKey }
                return try intake.take(
                    NotificationRequest(key: key, content: .init(level: .info, body: "Late")),
                    now: WallClock.milliseconds() - 2 * NotificationStore.lease
                )
            }
            guard case .stored(let stored) = left else {
                Issue.record("\(left)")
                return
            }
            let deadline = MonotonicTime.now().advanced(by: Self.patience)
            var found: [AMQPDelivery] = []
            while found.isEmpty, MonotonicTime.now() < deadline {
                found += try rig.messages()
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(found.map(\.body) == stored.messages)
            #expect(found.first?.properties.timestamp == UInt64(stored.at / 1000))
        }
    }
}
