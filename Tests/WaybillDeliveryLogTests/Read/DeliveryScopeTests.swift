import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// Two clients' scopes against each other, by everything that can be asked.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryScopeTests {
    private static let day: Int64 = 1_790_000_000_000

    /// One failed record each of two clients and of nobody, alike in everything but the client.
    private static let records = ["acme", "rival", nil].enumerated().map { number, client in
        DeliveryRecord.sample(
            number + 1,
            outcome: .tokenInvalid,
            reason: "Unregistered",
            date: day + Int64(number),
            client: client
        )
    }

    private static func id(of client: String) -> NotificationID {
        NotificationID(high: 7, low: client == "acme" ? 1 : 2)
    }

    /// Everything that a query can ask for and that is true of all three records.
    private static let filters: [(name: String, query: DeliveryQuery)] = [
        ("nothing", DeliveryQuery()),
        ("token", DeliveryQuery(deviceToken: Array("00aa11bb".utf8)[...])),
        ("batch", DeliveryQuery(batch: BatchName("batch"))),
        ("batch alone", DeliveryQuery(batch: BatchName("batch", includesParts: false))),
        ("outcome", DeliveryQuery(outcomes: [.tokenInvalid])),
        ("outcomes", DeliveryQuery(outcomes: [.tokenInvalid, .accepted])),
        ("reason", DeliveryQuery(reason: "Unregistered")),
        ("lane", DeliveryQuery(lane: "parcels")),
        ("not a lane", DeliveryQuery(lane: TextFilter(excluding: ["other"]))),
        ("not a client", DeliveryQuery(client: TextFilter(excluding: ["nobody"]))),
        ("since", DeliveryQuery(since: day)),
        ("until", DeliveryQuery(until: day + 10)),
        ("limit", DeliveryQuery(limit: 3)),
    ]

    private func withScopes(
        _ test: (_ client: String, _ rival: String, _ reader: DeliveryLogReader) throws -> Void
    ) throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            try log.writer.write(Self.records.map { LogEntry(record: $0) })
            for (client, rival) in [("acme", "rival"), ("rival", "acme")] {
                let scope = DeliveryScope.clients([ExactName(client)])
                try test(client, rival, DeliveryLogReader(client: log.client, options: log.options, scope: scope))
            }
        }
    }

    @Test func noFilterLeadsOutOfTheScope() throws {
        try withScopes { client, rival, reader in
            for (name, query) in Self.filters {
                let found = try reader.query(query).all()
                #expect(found.map(\.client) == [client], "\(client) by \(name)")
                #expect(try reader.counts(query).map(\.count) == [1], "\(client) counts by \(name)")
                var foreign = query
                foreign.client = TextFilter([rival])
                #expect(try reader.query(foreign).all().isEmpty, "\(client) by \(name) and the other's name")
                #expect(try reader.counts(foreign).isEmpty, "\(client) counts by \(name) and the other's name")
                foreign.client = TextFilter(excluding: [client])
                #expect(try reader.query(foreign).all().isEmpty, "\(client) by \(name) and all but its own name")
                #expect(try reader.groups(foreign).isEmpty, "\(client) groups by \(name) and all but its own name")
            }
        }
    }

    @Test func aGuessedIDLeadsNowhere() throws {
        try withScopes { client, rival, reader in
            let own = Self.id(of: client)
            let foreign = Self.id(of: rival)
            #expect(try reader.query(DeliveryQuery(id: own)).all().map(\.client) == [client])
            #expect(try reader.query(DeliveryQuery(id: foreign)).all().isEmpty)
            let named = try reader.recorded([own, foreign])
            #expect(Set(named.keys) == [own])
            let first = NotificationID(high: 7, low: 0)
            let last = NotificationID(high: 7, low: 9)
            let between = try reader.recorded(from: first, through: last, count: 10)
            #expect(Set(between.keys) == [own])
        }
    }

    @Test func whatAnEventNamesIsOfTheScope() throws {
        try withScopes { client, rival, reader in
            let events = [client, rival].map { name in
                InvalidTokenEvent(
                    deviceToken: "00aa11bb",
                    reason: "Unregistered",
                    statusCode: 410,
                    invalidSince: nil,
                    observedAt: 0,
                    notificationID: Self.id(of: name),
                    batchID: "batch",
                    client: name,
                    lane: "parcels",
                    topic: "com.example.app",
                    environment: .production,
                    verdict: .dead
                )
            }
            let refusals = try reader.refusals(of: events)
            #expect(refusals.map { $0?.client } == [client, nil])
            #expect(try reader.clients(ofNewest: 10, maximumTime: .seconds(10)) == [ExactName(client): 1])
        }
    }

    @Test(arguments: [(["acme", "rival"], 2), ([], 0)] as [(Set<ExactName>, Int)])
    func aScopeOfSeveralClients(clients: Set<ExactName>, expected: Int) throws {
        try TestStore.withLog { log in
            try log.writer.write(Self.records.map { LogEntry(record: $0) })
            let reader = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(clients))
            #expect(try reader.query(DeliveryQuery()).all().count == expected)
            #expect(try log.reader.query(DeliveryQuery()).all().count == 3)
        }
    }
}
