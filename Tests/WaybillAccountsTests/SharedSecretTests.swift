import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Against a real mongod.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"] != nil))
struct SharedSecretTests {
    @Test func allProcessesHaveOneKeyWhoeverIsFirst() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"])
        let database = "test_\(UInt64.random(in: 0 ... .max))"
        let pool = try SharedPool.of(url)
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
        _ = try pool.withClient { (client) throws(MongoError) in
            try client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
        }
    }
}
