import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillFleet

@Suite(.enabled(if: TestDatabase.isAvailable))
struct LeaseTests {
    private func lease(_ process: Int32, started: Int64, seen: Int64) -> Lease {
        Lease(
            role: "dispatch",
            host: "host",
            process: process,
            version: "1.2.3",
            started: started,
            seen: seen,
            status: Array(#"{"ready":true,"in_flight":{"notifications":3}}"#.utf8)
        )
    }

    @Test func aLeaseIsReplacedAndReadAsItWasWritten() throws {
        try TestDatabase.withDatabase { client, database in
            let (writer, reader) = (
                LeaseWriter(client: client, database: database), LeaseReader(client: client, database: database)
            )
            var first = lease(1, started: 1_700_000_000_000, seen: 1_700_000_001_000)
            let second = lease(2, started: 1_700_000_000_500, seen: 1_700_000_001_000)
            try writer.write(first)
            try writer.write(second)
            first.seen += 5_000
            first.isEnded = true
            try writer.write(first)
            var read = try reader.leases()
            // The store dates them, by a clock that has moved on since these were made.
            #expect(read.allSatisfy { $0.seen > first.seen })
            for index in read.indices { read[index].seen = first.seen }
            #expect(read == [lease(2, started: second.started, seen: first.seen), first])
            #expect(ProcessReport(second).inFlight == ["notifications": 3])
        }
    }

    @Test func whatIsNoLeaseIsPassedOver() throws {
        try TestDatabase.withDatabase { client, database in
            let bulk = client.collection(database: database, name: "processes").bulk()
            let document = BSONWriter(capacity: 64)
            document.append("_id", string: "x")
            try bulk.insert(document)
            _ = bulk.execute()
            let found = try LeaseReader(client: client, database: database).found()
            #expect(found.leases.isEmpty)
            #expect(found.unreadable == ["x"])
        }
    }

    private static let whole: [(String, BSONValue)] = [
        ("_id", .string("dispatch/host/7/1")), ("role", .string("dispatch")), ("host", .string("host")),
        ("pid", .int(7)),
        ("version", .string("1.2.3")), ("started", .date(1_700_000_000_000)), ("seen", .date(1_700_000_001_000)),
        ("status", .string(#"{"ready":true}"#)),
    ]

    /// Whoever reads leases adds up their numbers, and computes with their dates.
    @Test(
        arguments: [
            ("status", .string(#"{"ready":true,"in_flight":{"messages":3,"unstarted":4}}"#), true),
            ("status", .string(#"{"ready":true,"in_flight":{"messages":9e18}}"#), false),
            ("status", .string(#"{"ready":true,"in_flight":{"messages":9223372036854775807}}"#), false),
            ("status", .string(#"{"ready":true,"in_flight":{"messages":-1}}"#), false),
            ("status", .string(#"{"ready":true,"in_flight":{"messages":1.5}}"#), false),
            ("status", .string(#"{"ready":true,"in_flight":{"messages":NaN}}"#), false),
            ("status", .string(#"{"ready":true,"totals":{"accepted":9e18}}"#), false),
            ("status", .string(#"{"ready":true,"rates":{"1m":{"accepted":1e300}}}"#), false),
            ("status", .string(#"{"ready":true,"lanes":[{"name":"a","state":"open","streams":-9e18}]}"#), false),
            ("status", .string(#"{"ready":true,"stuck":[{"thread":"a","busy_seconds":9e18}]}"#), false),
            ("status", .string("no JSON"), false), ("status", .string("{}"), false),
            ("pid", .int(.max), false), ("pid", .int(-1), false), ("pid", .double(7), true),
            ("pid", .double(.nan), false),
            ("started", .date(.min), false), ("seen", .date(.min), false), ("seen", .date(.max), false),
            ("seen", .int(1_700_000_001_000), false),
        ] as [(String, BSONValue, Bool)]
    )
    func aLeaseHoldsWhatAProcessMaySay(field: String, value: BSONValue, isRead: Bool) throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (key, own) in Self.whole { #expect(document.append(name: key, value: key == field ? value : own)) }
            let bulk = client.collection(database: database, name: "processes").bulk()
            try bulk.insert(document)
            _ = bulk.execute()
            let found = try LeaseReader(client: client, database: database).found()
            #expect(found.leases.count == (isRead ? 1 : 0))
            #expect(found.unreadable == (isRead ? [] : ["dispatch/host/7/1"]))
        }
    }

    @Test func initMakesTheIndexesOnce() throws {
        try TestDatabase.withDatabase { client, database in
            let first = try FleetIndexes.ensure(client: client, database: database)
            let second = try FleetIndexes.ensure(client: client, database: database)
            #expect(first.map(\.change) == [.created, .created])
            #expect(second.map(\.change) == [.exists, .exists])
        }
    }
}
