import Testing
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillNotifications

/// Who finds a document in a real store by the name of its batch: those whom an order of that name would be about.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct PostedLookUpTests {
    private static func look(
        _ name: String,
        of clients: Set<ExactName>?,
        at build: (BSONWriter) -> Void
    ) throws -> PostedSummary? {
        try TestDatabase.withDatabase { client, database in
            let writer = BSONWriter()
            build(writer)
            writer.append("body", string: "Hello")
            let bulk = client.collection(database: database, name: "notifications").bulk()
            try bulk.insert(writer)
            try bulk.execute().requireDurable("insert")
            let scope = CampaignStore.Scope(clients: clients, unnamed: "paper")
            return try PostedLookUp(client: client, database: database, scope: scope, ofServices: "notifire")
                .notification(name)
        }
    }

    @Test(arguments: [
        ("7", true), ("007", false), ("+7", false), ("0123456789abcdef01234567", true),
        ("0123456789ABCDEF01234567", false), ("news", true), ("news.1", false),
    ])
    func aNameIsTakenExactly(name: String, isFound: Bool) throws {
        let found = try Self.look(name, of: nil) { writer in
            switch name.utf8.count {
            case 24: writer.append("_id", identifier: BSONIdentifier(objectID: "0123456789abcdef01234567")!)
            case ...3: writer.append("_id", int64: 7)
            default: writer.append("_id", string: "news")
            }
        }
        #expect((found != nil) == isFound)
    }

    @Test(
        arguments: [
            (nil, nil, ["paper"]), ("rival", nil, ["rival"]), (nil, "s-1", ["notifire"]),
            ("rival", "s-1", ["notifire"]),
        ] as [(String?, String?, [String])]
    )
    func itsClientAloneFindsIt(client: String?, service: String?, finders: [String]) throws {
        for finder in ["paper", "rival", "notifire", "nobody"] {
            let found = try Self.look("news", of: [ExactName(finder)]) { writer in
                writer.append("_id", string: "news")
                if let client { writer.append("client", string: client) }
                if let service { writer.append("service", string: service) }
            }
            #expect((found != nil) == finders.contains(finder), "\(finder)")
        }
    }
}
