import Foundation
import Logging
import Synchronization
import Testing
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillPrune

private let brokerURL = ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"]

@Suite(.enabled(if: brokerURL != nil && TestDatabase.isAvailable, "WAYBILL_TEST_BROKER or _STORE is not set"))
struct PruneWorkerTests {
    /// A running worker on queues and a database of its own.
    final class Bench {
        let settings: PruneSettings
        let store: RegistryStore
        let connection: AMQPConnection
        let control = PruneControl()
        private let ending = Ending()

        init(_ store: RegistryStore, trust: (_ database: String) -> PruneTrust = { _ in .events }) throws {
            self.store = store
            let endpoint = try AMQPEndpoint(url: #require(brokerURL), connectionName: "PruneTests")
            let prefix = "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
            settings = PruneSettings(
                endpoint: endpoint,
                queues: QueueNames(prefix: prefix),
                database: store.database,
                trust: trust(store.database)
            )
            connection = try AMQPConnection.open(endpoint, timeout: .seconds(20))
            for queue in [settings.queues.invalidTokens, settings.queues.rejected] {
                try connection.declareQueue(queue, arguments: [("x-queue-type", "quorum")])
            }
            try connection.enableConfirms()
        }

        func start(pool: MongoPool? = nil, logger: Logger = Logger(label: "PruneTests")) {
            let pool = pool ?? store.pool
            Thread.detachNewThread { [settings, control, ending] in
                do {
                    try PruneWorker(settings: settings, pool: pool, control: control, logger: logger).run()
                } catch {
                    ending.failure.withLock { $0 = "\(error)" }
                }
                ending.semaphore.signal()
            }
        }

        /// Stops the worker and waits for its end.
        func stop() -> String? {
            control.stop()
            return awaitEnd()
        }

        /// What the worker threw, if anything.
        func awaitEnd() -> String? {
            #expect(ending.semaphore.wait(timeout: .now() + 60) == .success)
            return ending.failure.withLock { $0 }
        }

        func publish(_ body: [UInt8], properties: AMQPProperties = AMQPProperties()) throws {
            try connection.publish(routingKey: settings.queues.invalidTokens, properties: properties, body: body)
            guard case .confirmed = try connection.nextEvent(timeout: .seconds(30)) else {
                throw TimedOut(what: "a confirmation")
            }
        }

        func wait(for what: String, _ condition: () throws -> Bool) throws {
            let end = ContinuousClock.now + .seconds(60)
            while try !condition() {
                guard ContinuousClock.now < end else { throw TimedOut(what: what) }
                usleep(20_000)
            }
        }

        /// Ready messages plus those that go back once their consumer is gone.
        func waiting(_ queue: String) throws -> Int { try connection.inspectQueue(queue).messages }

        func cleanUp() {
            control.stop()
            connection.close()
            // The other one may have been idle for longer than its heartbeat allows.
            guard let cleaner = try? AMQPConnection.open(settings.endpoint, timeout: .seconds(20)) else { return }
            for queue in [settings.queues.invalidTokens, settings.queues.rejected] { try? cleaner.deleteQueue(queue) }
            cleaner.close()
        }
    }

    final class Ending: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>(nil)
    }

    struct TimedOut: Error {
        let what: String
    }

    private func withBench(
        trust: (_ database: String) -> PruneTrust = { _ in .events },
        _ body: (Bench) throws -> Void
    ) async throws {
        try await RegistryStore.withStore { store in
            let bench = try Bench(store, trust: trust)
            defer { bench.cleanUp() }
            try body(bench)
        }
    }

    /// A pool whose only client a test can take away: an outage, to the worker.
    private static func smallPool() throws -> MongoPool {
        let url = try #require(TestDatabase.url)
        let separator = url.contains("?") ? "&" : url.hasSuffix("/") ? "?" : "/?"
        return try MongoPool(
            url: "\(url)\(separator)waitQueueTimeoutMS=100",
            applicationName: "PruneTests",
            maximumClients: 1
        )
    }

    /// Starts the worker, and takes its client away when it consumes.
    private func startWithout(_ pool: MongoPool, _ bench: Bench) throws -> MongoClient {
        bench.start(pool: pool)
        try bench.wait(for: "the consumer") { bench.control.isConsuming }
        var client: MongoClient?
        try bench.wait(for: "the client") {
            client = try? pool.pop()
            return client != nil
        }
        return try #require(client)
    }

    @Test func eventsAreCarriedOutAndAcknowledged() async throws {
        try await withBench { bench in
            try bench.store.register(
                RemovalCases.dead(token: "aa"),
                DeviceRegistration(registeredAt: RemovalCases.invalidSince)
            )
            try bench.store.register(
                RemovalCases.dead(token: "bb"),
                DeviceRegistration(registeredAt: RemovalCases.invalidSince + 1)
            )
            try bench.store.register(RemovalCases.suspect(token: "dd"), DeviceRegistration(registeredAt: 1))
            for token in ["aa", "bb", "cc"] { try bench.publish(RemovalCases.dead(token: token).encoded()) }
            for token in ["dd", "ee"] { try bench.publish(RemovalCases.suspect(token: token).encoded()) }
            try bench.publish(RemovalCases.dead(token: "aa").encoded())
            bench.start()
            try bench.wait(for: "six events") { bench.control.counts.total == 6 }
            #expect(bench.stop() == nil)

            var expected = PruneCounts()
            expected.registry.disabled = 1
            expected.registry.newerRegistration = 1
            expected.registry.tombstoned = 1
            expected.registry.suspected = 1
            expected.registry.unknownDevice = 1
            expected.registry.already = 1
            #expect(bench.control.counts == expected)
            #expect(try bench.store.device(RemovalCases.dead(token: "aa"))?["disabled_at"] != nil)
            #expect(try bench.store.device(RemovalCases.dead(token: "bb"))?["disabled_at"] == nil)
            #expect(try bench.waiting(bench.settings.queues.invalidTokens) == 0)
        }
    }

    /// One device that the server lets nobody change keeps no other event waiting; its event is rejected with a reason.
    @Test func anEventThatTheServerRefusesIsRejectedAndTheOthersAreCarriedOut() async throws {
        try await withBench { bench in
            for token in ["aa", "bb", "cc"] {
                try bench.store.register(
                    RemovalCases.dead(token: token),
                    DeviceRegistration(registeredAt: RemovalCases.invalidSince)
                )
            }
            try bench.store.require(
                BSONDocument { writer in
                    writer.append(
                        "$nor",
                        array: { refused in
                            refused.append { one in
                                one.append("token", string: "bb")
                                one.append("enabled", bool: false)
                            }
                        }
                    )
                }
            )
            for token in ["aa", "bb", "cc"] { try bench.publish(RemovalCases.dead(token: token).encoded()) }
            let lines = EventLines()
            bench.start(logger: Logger(label: "PruneTests") { _ in lines })
            try bench.wait(for: "three events") { bench.control.counts.total >= 3 }
            #expect(bench.stop() == nil)
            #expect(lines.count("prune.storeFailed") == 0 && lines.count("prune.malformed") == 1)
            let counts = bench.control.counts
            #expect(counts.malformed == 1 && counts.registry.disabled + counts.registry.already == 2)
            let rejected = try #require(try bench.connection.get(queue: bench.settings.queues.rejected))
            #expect(rejected.properties[header: "x-waybill-reason"]?.text == "record_refused")
            #expect(rejected.properties[header: "x-waybill-detail"]?.text?.contains("code 121") == true)
            #expect(try bench.store.device(RemovalCases.dead(token: "aa"))?["disabled_at"] != nil)
            #expect(try bench.store.device(RemovalCases.dead(token: "cc"))?["disabled_at"] != nil)
            #expect(try bench.waiting(bench.settings.queues.invalidTokens) == 0)
        }
    }

    /// Plain tokens, and a log that holds digests.
    @Test(arguments: [nil, [UInt8](repeating: 7, count: 32)] as [[UInt8]?])
    func anEventCountsAsFarAsTheLogHasIt(_ key: [UInt8]?) async throws {
        let tokens: DeliveryLogOptions.Tokens = key.map { .digest(key: $0) } ?? .plain
        func options(_ database: String) -> DeliveryLogOptions {
            DeliveryLogOptions(database: database, tokens: tokens, retention: RetentionPolicy(default: .keep))
        }
        try await withBench { database in
            .log(options(database), environments: ["parcels": .production])
        } _: { bench in
            var events: [InvalidTokenEvent] = []
            for (number, token) in ["aa", "bb", "cc", "dd"].enumerated() {
                var event = RemovalCases.dead(token: token)
                event.notificationID = NotificationID(high: 7, low: UInt64(number))
                events.append(event)
            }
            // aa was refused, bb was accepted, cc has no record, and dd's id is the record of another token.
            let recorded: [(String, Outcome, Int, Int)] = [
                ("aa", .tokenInvalid, 410, 0), ("bb", .accepted, 200, 1), ("ee", .tokenInvalid, 410, 3),
            ]
            let records = recorded.map { token, outcome, status, id in
                RemovalCases.record(of: token, outcome, status: status, id: events[id].notificationID)
            }
            try bench.store.write(records, options: options(bench.settings.database))
            for token in ["aa", "bb", "cc", "dd"] {
                try bench.store.register(
                    RemovalCases.dead(token: token),
                    DeviceRegistration(registeredAt: RemovalCases.invalidSince)
                )
            }
            for event in events { try bench.publish(event.encoded()) }
            bench.start()
            try bench.wait(for: "four events") { bench.control.counts.total == 4 }
            #expect(bench.stop() == nil)
            var expected = PruneCounts()
            expected.registry.disabled = 1
            expected.registry.suspected = 1
            expected.unproven = 1
            expected.notBelieved = 2
            #expect(bench.control.counts == expected)
            func device(_ token: String) throws -> BSONDocument? {
                try bench.store.device(RemovalCases.dead(token: token))
            }
            #expect(try device("aa")?["disabled_at"] != nil)
            #expect(try device("bb")?["disabled_at"] == nil)
            #expect(try device("bb")?["suspected_at"] == nil)
            #expect(try device("cc")?["disabled_at"] == nil)
            #expect(try device("cc")?["suspected_at"] != nil)
            #expect(try device("dd")?["suspected_at"] == nil)
        }
    }

    @Test func malformedEventsGoToTheRejectedQueueWithTheirReason() async throws {
        try await withBench { bench in
            let body = Array("{\"device_token\": 7}".utf8)
            try bench.publish(body, properties: AMQPProperties(messageID: "m-1"))
            try bench.publish(RemovalCases.dead(token: "aa").encoded())
            bench.start()
            try bench.wait(for: "two events") { bench.control.counts.total == 2 }
            #expect(bench.stop() == nil)
            #expect(bench.control.counts.malformed == 1)
            #expect(bench.control.counts.registry.tombstoned == 1)

            let rejected = try #require(try bench.connection.get(queue: bench.settings.queues.rejected))
            #expect(rejected.body == body)
            #expect(rejected.properties.messageID == "m-1")
            #expect(rejected.properties[header: "x-waybill-reason"]?.text?.isEmpty == false)
            #expect(rejected.properties[header: "x-waybill-detail"]?.text?.isEmpty == false)
            #expect(try bench.waiting(bench.settings.queues.invalidTokens) == 0)
        }
    }

    @Test func whatTheStoreDoesNotTakeIsNotAcknowledged() async throws {
        try await withBench { bench in
            let pool = try Self.smallPool()
            let client = try startWithout(pool, bench)
            defer { pool.push(client) }
            try bench.publish(RemovalCases.dead(token: "aa").encoded())
            let queue = bench.settings.queues.invalidTokens
            try bench.wait(for: "the event to be taken") { try bench.waiting(queue) == 0 }
            #expect(bench.stop() == nil)
            #expect(bench.control.counts.total == 0)
            try bench.wait(for: "the event to be back") { try bench.waiting(queue) == 1 }
        }
    }

    @Test func aStoreThatRecoversGetsWhatWaited() async throws {
        try await withBench { bench in
            let pool = try Self.smallPool()
            let client = try startWithout(pool, bench)
            try bench.publish(RemovalCases.dead(token: "aa").encoded())
            let queue = bench.settings.queues.invalidTokens
            try bench.wait(for: "the event to be taken") { try bench.waiting(queue) == 0 }
            #expect(bench.control.counts.total == 0)
            pool.push(client)
            try bench.wait(for: "the event") { bench.control.counts.total == 1 }
            #expect(bench.stop() == nil)
            #expect(bench.control.counts.registry.tombstoned == 1)
            #expect(try bench.waiting(queue) == 0)
        }
    }

    @Test func aQueueThatComesBackIsConsumedAgain() async throws {
        try await withBench { bench in
            try bench.publish(RemovalCases.dead(token: "aa").encoded())
            bench.start()
            try bench.wait(for: "the first event") { bench.control.counts.total == 1 }
            let queue = bench.settings.queues.invalidTokens
            try bench.connection.deleteQueue(queue)
            try bench.wait(for: "the consumer's end") { !bench.control.isConsuming }
            try bench.connection.declareQueue(queue, arguments: [("x-queue-type", "quorum")])
            try bench.publish(RemovalCases.dead(token: "bb").encoded())
            try bench.wait(for: "the second event") { bench.control.counts.total == 2 }
            #expect(bench.stop() == nil)
        }
    }

    @Test func aMissingQueueAtTheStartIsAnError() async throws {
        try await withBench { bench in
            try bench.connection.deleteQueue(bench.settings.queues.invalidTokens)
            bench.start()
            let failure = bench.awaitEnd()
            #expect(failure?.contains(bench.settings.queues.invalidTokens) == true)
        }
    }
}
