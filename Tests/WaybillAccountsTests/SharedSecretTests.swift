import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct SharedSecretTests {
    @Test func allProcessesHaveOneKeyWhoeverIsFirst() async throws {
        try await TestDatabase.withPool { pool, database in
            @Sendable func key() throws -> [UInt8] {
                try pool.withClient { (client) throws(MongoError) in
                    try SharedSecret(client: client, database: database).key(.cursors, now: 1_700_000_000_000)
                }
            }
            let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<16 { group.addTask { try key() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(keys).count == 1)
            #expect(keys.first?.count == 32)
            #expect(try key() == keys.first)
            // Without it, another one is made.
            _ = try pool.withClient { (client) throws(MongoError) in
                try client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
            }
            #expect(try key() != keys.first)
        }
    }
}
