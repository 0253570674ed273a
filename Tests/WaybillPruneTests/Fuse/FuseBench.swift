import Glibc
import Logging
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillPrune

/// One prune process, as far as its fuse goes.
struct FuseProcess {
    let token: TokenFuse
    let evidence: EventEvidence
    let control: PruneControl

    /// As the worker does it: what the log bears out is carried out, or held.
    func take(_ events: [InvalidTokenEvent]) throws -> FuseChanges? {
        let judged = try evidence.judge(events, now: WallClock.milliseconds())
        #expect(judged.believed.count == events.count)
        return try carryOut(judged.believed)
    }

    func carryOut(_ events: [InvalidTokenEvent]) throws -> FuseChanges? { try token.carryOut(events) }

    /// As the worker does it, until nothing more is due.
    func turn() throws {
        let end = MonotonicTime.now().advanced(by: .seconds(3))
        repeat {
            _ = try token.turn()
            usleep(50_000)
        } while MonotonicTime.now() < end
    }
}

/// What several of them share.
final class FuseBench {
    let store: RegistryStore
    let log: AnswerLog
    let registered: Int64
    /// As small as that of a prune process.
    private let pool: MongoPool

    init(_ store: RegistryStore, pace: StatisticsPace = StatisticsPace()) throws {
        self.store = store
        let url = try #require(TestDatabase.url)
        pool = try MongoPool(url: url, applicationName: "FuseBench", maximumClients: 2)
        log = try AnswerLog(store, pace: pace)
        registered = WallClock.milliseconds() - 86_400_000
    }

    /// Another process, which knows nothing of what the others have seen.
    func process(_ policy: FusePolicy = FusePolicy()) -> FuseProcess {
        let control = PruneControl()
        let lanes = ["parcels", "letters"].map { ($0, Environment.production) }
        let trust = PruneTrust.log(log.options, environments: Dictionary(uniqueKeysWithValues: lanes))
        let evidence = EventEvidence(pool: pool, trust: trust)
        let fuse = TokenFuse(
            pool: pool,
            database: store.database,
            policy: policy,
            registry: DeviceRegistryWriter(pool: pool, database: store.database),
            evidence: evidence,
            control: control,
            logger: Logger(label: "FuseBench")
        )
        return FuseProcess(token: fuse, evidence: evidence, control: control)
    }

    /// Tokens of devices that were registered yesterday.
    func phones(_ count: Int, prefix: String = "aa") throws -> [String] {
        let tokens = (0..<count).map { prefix + String(0x10000 + $0, radix: 16) + "0" }
        for token in tokens {
            try store.register(RemovalCases.dead(token: token), DeviceRegistration(registeredAt: registered))
        }
        return tokens
    }

    /// Tokens of devices of which nothing else is said, as from a list of tokens.
    func unsaidPhones(_ count: Int) throws -> [String] {
        let tokens = (0..<count).map { "dd" + String(0x10000 + $0, radix: 16) + "0" }
        let documents = tokens.map { token in
            let writer = BSONWriter()
            writer.append("provider", string: "apns")
            writer.append("app", string: "com.example.parcels")
            writer.append("environment", string: "production")
            writer.append("token", string: token)
            writer.append("kind", string: "token")
            writer.append("enabled", bool: true)
            return writer
        }
        try store.insert(documents)
        return tokens
    }

    /// Tokens that nobody has registered.
    func strangers(_ count: Int) -> [String] { (0..<count).map { "ee" + String(0x10000 + $0, radix: 16) + "0" } }

    /// The tokens that the registry has anything of.
    func known() throws -> Set<String> { Set(try store.devices().compactMap { $0["token"]?.string }) }

    func disabled() throws -> Set<String> {
        Set(try store.devices().filter { $0["enabled"] == .bool(false) }.compactMap { $0["token"]?.string })
    }

    /// When devices were disabled, as the registry has it.
    func disabledAt() throws -> [Int64] { try store.devices().compactMap { $0["disabled_at"]?.date } }

    func suspected() throws -> Int { try store.devices().count { $0["suspected_at"] != nil } }

    func fuses() throws -> [Fuse] {
        try store.pool.withClient { (client) throws(MongoError) in
            try FuseStore(client: client, database: store.database).fuses()
        }
    }

    func decide(_ state: Fuse.State, at date: Int64 = WallClock.milliseconds()) throws {
        let fuse = try #require(try fuses().first)
        let isDone = try store.pool.withClient { (client) throws(MongoError) in
            try FuseStore(client: client, database: store.database)
                .decide(fuse, state, FuseDecision(name: "anna", date: date))
        }
        #expect(isDone)
    }

    func count(_ state: TokenEvents.State) throws -> Int {
        let name = FuseName(lane: "parcels", app: "com.example.parcels")
        return try store.pool.withClient { (client) throws(MongoError) in
            try TokenEvents(client: client, database: store.database).count(name, state)
        }
    }
}

extension FuseBench {
    /// Puts events down as carried out, and carries them out, as a process that dies then.
    func carriedOutByTheDead(_ events: [InvalidTokenEvent], areKnown: Bool = true) throws {
        let entries = events.map { event in
            TokenEvents.Entry(
                id: TokenEvents.id(event),
                name: FuseName(event),
                at: event.observedAt,
                event: String(decoding: event.encoded(), as: UTF8.self),
                isKnown: areKnown
            )
        }
        _ = try store.pool.withClient { (client) throws(MongoError) in
            try TokenEvents(client: client, database: store.database)
                .put(entries, .applied, now: WallClock.milliseconds())
        }
        _ = try DeviceRegistryWriter(pool: store.pool, database: store.database).apply(events)
    }

    /// Their apps tell them again.
    func registerAgain(_ tokens: Set<String>) throws {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        let bulk = client.collection(database: store.database, name: "devices").bulk()
        for token in tokens {
            try bulk.updateOne(
                filter: BSONDocument { $0.append("token", string: token) },
                update: BSONDocument { update in
                    update.append("$set") { $0.append("registered_at", date: WallClock.milliseconds() + 1000) }
                },
                upsert: false
            )
        }
        #expect(bulk.execute().matched == tokens.count)
    }
}
