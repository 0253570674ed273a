import Testing
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillProviders

@testable import WaybillFanout

/// Refusals of the server that concern one audience, beside another audience.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct RefusedQueryTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let app = "com.example.parcels"
    private static let poisoned = "com.example.poisoned"
    private static let slow = "com.example.slow"

    private static func audience(
        _ name: String,
        apps: [String] = [app],
        content: String = #""message":"News""#
    ) throws -> NewAudience {
        let message = AudienceMessage(
            id: name,
            client: "acme",
            content: Array(content.utf8),
            selection: AudienceSelection(apps: apps, kind: .filter(AudienceFilter()))
        )
        let body = message.encoded()
        return NewAudience(try AudienceMessage(decoding: body), body: body, publishedAt: now)
    }

    private static func withExpansion(
        lanes: [Lane] = [],
        phones apps: [String],
        _ test: (inout Expansion, MongoClient, String) throws -> Void
    ) async throws {
        try await TestDatabase.withPool { pool, database in
            let client = try pool.pop()
            defer { pool.push(client) }
            _ = try AudienceIndexes.ensure(client: client, database: database)
            let bulk = client.collection(database: database, name: "phones").bulk()
            for (number, app) in apps.enumerated() {
                let writer = BSONWriter()
                let token = String(repeating: "0", count: 62) + "\(10 + number)"
                for (name, value) in [
                    ("provider", "apns"), ("app", app), ("environment", "production"), ("token", token),
                    ("kind", "token"),
                ] {
                    _ = writer.append(name: name, value: .string(value))
                }
                writer.append("enabled", bool: true)
                writer.append("divisor", int: app == poisoned ? 0 : 1)
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("register")
            // The server cannot read a device of the poisoned app, and takes too long for one of the slow app.
            let view = BSONDocument { command in
                command.append("create", string: "devices")
                command.append("viewOn", string: "phones")
                command.append(
                    "pipeline",
                    array: { stages in
                        stages.append { stage in
                            stage.append("$addFields") { fields in
                                fields.append("quotient") { quotient in
                                    quotient.append(
                                        "$divide",
                                        array: { sides in
                                            sides.append(int64: 1)
                                            sides.append(string: "$divisor")
                                        }
                                    )
                                }
                            }
                        }
                        guard apps.contains(slow) else { return }
                        // 10¹² documents of one, of which none is meant.
                        for field in ["a", "b", "c", "d"] {
                            stages.append { stage in
                                stage.append("$addFields") { fields in
                                    fields.append(name: field) { Self.numbers(of: slow, $0) }
                                }
                            }
                            stages.append { $0.append("$unwind", string: "$\(field)") }
                        }
                        stages.append { stage in stage.append("$match") { $0.append("d", int: 0) } }
                    }
                )
            }
            _ = try client.command(database: database, view)
            let settings = FanoutSettings(
                endpoint: try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "tests"),
                queues: QueueNames(prefix: "test"),
                database: database,
                lanes: lanes,
                limits: DecodingLimits(),
                producers: nil,
                retention: RetentionPolicy(default: .keep),
                apps: ClientApps(),
                backlog: 10,
                keep: .seconds(86_400)
            )
            var expansion = Expansion(client, settings: settings, control: FanoutControl())
            try test(&expansion, client, database)
        }
    }

    /// The expression for 1 to 1000 where a device is of an app; else 0.
    private static func numbers(of app: String, _ writer: BSONWriter) {
        writer.append(
            "$cond",
            array: { parts in
                parts.append { condition in
                    condition.append(
                        "$eq",
                        array: { sides in
                            sides.append(string: "$app")
                            sides.append(string: app)
                        }
                    )
                }
                parts.append { range in
                    range.append(
                        "$range",
                        array: { ends in
                            ends.append(int64: 1)
                            ends.append(int64: 1001)
                        }
                    )
                }
                parts.append(int64: 0)
            }
        )
    }

    private static func record(_ name: String, _ client: MongoClient, _ database: String) throws -> AudienceRecord? {
        try AudienceStore(client: client, database: database).record(name, of: "acme")
    }

    @Test func aRefusedAudienceEndsAndTheOthersGoOn() async throws {
        try await Self.withExpansion(phones: [Self.app, Self.poisoned]) { expansion, client, database in
            try TestDatabase.refuse(
                in: "audiences",
                of: database,
                client,
                [
                    { $0.append("name", string: "no-record") },
                    { step in
                        step.append("name", string: "no-end")
                        step.append("state", string: "done")
                    },
                ]
            )
            let arrivals = try [
                Self.audience("no-query", apps: [Self.poisoned]), Self.audience("no-record"), Self.audience("no-end"),
                Self.audience("good"),
            ]
            let round = try expansion.plan(arrivals, isFull: false, now: Self.now)
            #expect(round.arrivals.count == 4)
            for (place, arrival) in round.arrivals.enumerated() {
                switch arrival {
                case .entered: #expect(place != 1)
                case .refused(let reason): #expect(place == 1 && reason.contains("code 121"))
                case .repeated, .conflicting: Issue.record("\(arrival)")
                }
            }
            let refused = try #require(try Self.record("no-query", client, database))
            #expect(refused.state == .failed)
            #expect(refused.reason?.hasPrefix("the store refuses the query (") == true, "\(refused.reason ?? "")")

            _ = try expansion.plan([], isFull: false, now: Self.now + 1)
            #expect(try Self.record("no-record", client, database) == nil)
            #expect(try Self.record("no-end", client, database)?.state == .failed)
            let good = try #require(try Self.record("good", client, database))
            #expect(good.state == .done && good.expanded == 1)
            #expect(!expansion.isBusy)
            let counts = expansion.control.counts
            #expect((counts.entered, counts.failed, counts.done) == (3, 2, 1))
        }
    }

    /// One query a round meets its time limit, and whoever shares the process goes on without copies.
    @Test func anAudienceWhoseQueryTakesTooLongKeepsNoOther() async throws {
        let lane = Lane(name: "parcels", environment: .production, bundleID: Self.app)
        try await Self.withExpansion(lanes: [lane], phones: [Self.app, Self.slow]) { expansion, client, database in
            let content = #""payload":{"aps":{"alert":"x"}}"#
            let arrivals = try [
                Self.audience("slow", apps: [Self.slow], content: content), Self.audience("good", content: content),
            ]
            #expect(try expansion.plan(arrivals, isFull: false, now: Self.now).outgoing.isEmpty)
            #expect(expansion.takeEvents().map(\.name) == ["fanout.pageCut"])
            #expect(expansion.clock >= Self.now + 2000, "the clock of a round goes on")

            let round = try expansion.plan([], isFull: false, now: Self.now + 10_000)
            #expect(round.outgoing.map(\.audience) == ["good"])
            expansion.handedOver()
            // Both leases have lapsed: what the process knows of its own audiences stays.
            let last = try expansion.plan([], isFull: false, now: Self.now + 30_000)
            #expect(last.outgoing.isEmpty)
            #expect(try Self.record("good", client, database)?.state == .done)
            #expect(expansion.audiences.map(\.id) == ["slow"])
            #expect(expansion.cuts.values.map(\.count) == [3], "a turn in each round, with fewer devices")
        }
    }

    /// Records that the server lets nobody claim stand in front of the others.
    @Test func aRefusedClaimKeepsNoOther() async throws {
        try await Self.withExpansion(phones: [Self.app]) { expansion, client, database in
            let store = AudienceStore(client: client, database: database)
            for (number, name) in ["stuck", "deaf", "good"].enumerated() {
                let entry = AudienceEntry(try Self.audience(name), first: nil)
                _ = try store.write([entry], [], now: Self.now - 1000 + Int64(number))
            }
            try TestDatabase.refuse(
                in: "audiences",
                of: database,
                client,
                [
                    { stuck in
                        stuck.append("name", string: "stuck")
                        stuck.append("state", string: "expanding")
                    },
                    { deaf in
                        deaf.append("name", string: "deaf")
                        deaf.append("state") { $0.append("$ne", string: "waiting") }
                    },
                ]
            )
            for round in 0..<3 { _ = try expansion.plan([], isFull: false, now: Self.now + Int64(round) * 1000) }
            let stuck = try #require(try Self.record("stuck", client, database))
            #expect(stuck.state == .failed && stuck.reason?.contains("code 121") == true, "\(stuck.reason ?? "")")
            #expect(try Self.record("deaf", client, database)?.state == .waiting)
            #expect(try Self.record("good", client, database)?.state == .done)
            let skipped = expansion.takeEvents().compactMap { event in
                if case .skipped(let audience, _) = event { audience } else { nil }
            }
            #expect(skipped == ["acme/deaf"])
            let counts = expansion.control.counts
            #expect((counts.failed, counts.done) == (1, 1))
        }
    }

    /// A query that the server refuses in the middle, after pages that the broker has.
    @Test func aRefusalOfALaterPageEndsTheAudienceWithItsCount() async throws {
        try await Self.withExpansion(phones: [Self.app]) { expansion, client, database in
            _ = try expansion.plan([try Self.audience("late")], isFull: false, now: Self.now)
            let index = try #require(expansion.audiences.indices.first)
            expansion.audiences[index].page?.isLast = false
            let poison = BSONDocument { writer in writer.append("$set") { $0.append("divisor", int: 0) } }
            let bulk = client.collection(database: database, name: "phones").bulk()
            try bulk.updateMany(filter: .empty, update: poison)
            try bulk.execute().requireDurable("poison")
            expansion.audiences[index].after = nil
            _ = try expansion.plan([], isFull: false, now: Self.now + 1)
            let record = try #require(try Self.record("late", client, database))
            #expect(record.state == .failed && record.expanded == 1)
            #expect(!expansion.isBusy)
        }
    }

    /// A record holds its page, whose messages have the content once for each lane.
    @Test func aPageThatIsTooLargeForItsRecordIsMadeSmaller() async throws {
        let apps = (1...9).map { "com.example.app\($0)" }
        let lanes = apps.map { Lane(name: $0, environment: .production, bundleID: $0) }
        try await Self.withExpansion(lanes: lanes, phones: apps) { expansion, _, _ in
            let content = #""payload":{"aps":{"alert":"x"},"x":"\#(String(repeating: "x", count: 1_000_000))"}"#
            let audience = try Self.audience("large", apps: apps, content: content)
            let round = try expansion.plan([audience], isFull: false, now: Self.now)
            #expect(round.outgoing.map(\.page.messages.count) == [1])
            #expect(round.outgoing.allSatisfy { $0.page.byteCount <= FanoutSettings.mostPageBytes })
        }
    }
}
