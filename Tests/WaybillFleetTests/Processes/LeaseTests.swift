import Testing
import WaybillMongo

@testable import WaybillFleet

@Suite(.enabled(if: FleetStore.isAvailable))
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
        try FleetStore.withDatabase { client, database in
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
        try FleetStore.withDatabase { client, database in
            let bulk = client.collection(database: database, name: "processes").bulk()
            let document = BSONWriter(capacity: 64)
            document.append("_id", string: "x")
            try bulk.insert(document)
            _ = bulk.execute()
            #expect(try LeaseReader(client: client, database: database).leases().isEmpty)
        }
    }

    @Test func initMakesTheIndexesOnce() throws {
        try FleetStore.withDatabase { client, database in
            let first = try FleetIndexes.ensure(client: client, database: database)
            let second = try FleetIndexes.ensure(client: client, database: database)
            #expect(first.map(\.change) == [.created, .created])
            #expect(second.map(\.change) == [.exists, .exists])
        }
    }
}
