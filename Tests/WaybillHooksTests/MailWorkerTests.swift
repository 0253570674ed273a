import Foundation
import Logging
import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTelemetry
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHooks
@testable import WaybillOutbox

/// Against a real mongod, with a folder in a mail server's place.
@Suite("The worker", .enabled(if: TestDatabase.isAvailable))
struct MailWorkerTests {
    private func withWorker(
        folder: String,
        indexes: Bool = true,
        _ body: (HooksService, MailOutbox) async throws -> Void
    ) async throws {
        try await TestDatabase.withPool { pool, database in
            let client = try pool.pop()
            defer { pool.push(client) }
            if indexes { _ = try OutboxIndexes.ensure(client: client, database: database) }
            let service = HooksService(
                settings: HooksSettings(
                    database: database,
                    mail: HooksSettings.Mail(
                        sender: try MailSender("Waybill <no-reply@example.com>"),
                        carrier: .folder(folder)
                    )
                ),
                pool: pool,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            try await body(service, MailOutbox(client: client, database: database))
        }
    }

    private func eventually(_ condition: () throws -> Bool) async throws {
        for _ in 0..<1500 where try !condition() { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try condition())
    }

    private func mail() throws -> Mail {
        try Mail(to: try MailAddress("a@b"), subject: "s", paragraphs: ["p"])
    }

    @Test func mailsBecomeFilesOnce() async throws {
        let folder = try TemporaryFolder()
        try await withWorker(folder: folder.path) { service, outbox in
            let now = WallClock.milliseconds()
            for number in 0..<3 { _ = try outbox.enqueue(id: "mail-\(number)", mail(), now: now) }
            async let work: Void = service.run()
            try await eventually { service.counts.sent == 3 }
            #expect(try !outbox.enqueue(id: "mail-0", mail(), now: now))
            let causes = service.status().checks.compactMap(\.cause)
            #expect(causes == [])
            service.stop()
            try await work
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.count == 3 && files.allSatisfy { $0.hasSuffix(".eml") })
            #expect(try outbox.counts() == (waiting: 0, failed: 0))
        }
    }

    /// A mail that the server lets nobody claim fails with the reason, or stays where it lets nobody end it; the mail behind
    /// both goes.
    @Test func aMailThatCannotBeClaimedEndsAndTheNextOneGoes() async throws {
        try await TestDatabase.withPool { pool, database in
            let client = try pool.pop()
            defer { pool.push(client) }
            _ = try OutboxIndexes.ensure(client: client, database: database)
            let outbox = MailOutbox(client: client, database: database)
            let now = WallClock.milliseconds()
            for id in ["stuck", "bad", "good"] { _ = try outbox.enqueue(id: id, mail(), now: now) }
            let mails = client.collection(database: database, name: "outbox_mail")
            let bulk = mails.bulk()
            for (id, due) in [("stuck", now - 2000), ("bad", now - 1000)] {
                try bulk.updateOne(
                    filter: BSONDocument { $0.append("_id", string: id) },
                    update: BSONDocument { writer in
                        writer.append("$set") { set in
                            set.append("attempts", string: "none")
                            set.append("due", date: due)
                        }
                    },
                    upsert: false
                )
            }
            try bulk.execute().requireDurable("spoil")
            let ended = { (stuck: BSONWriter) in
                stuck.append("_id", string: "stuck")
                stuck.append("state") { $0.append("$ne", string: "waiting") }
            }
            try TestDatabase.refuse(in: "outbox_mail", of: database, client, [ended])
            var refused: [String] = []
            let claimed = try outbox.claim(now: now, for: .seconds(60)) { id, _ in refused.append(id) }
            #expect(claimed?.id == "good")
            #expect(refused == ["stuck", "bad"])
            let bad = try #require(try mails.findOne(BSONDocument { $0.append("_id", string: "bad") }))
            #expect(bad["state"]?.string == "failed")
            #expect(bad["error"]?.string?.hasPrefix("the store refuses the query (") == true)
            #expect(try outbox.counts() == (waiting: 2, failed: 1))
        }
    }

    @Test func whatCannotBeWrittenWaitsAndIsTold() async throws {
        let folder = try TemporaryFolder()
        let missing = folder.path + "/missing"
        try await withWorker(folder: missing) { service, outbox in
            _ = try outbox.enqueue(id: "a", mail(), now: WallClock.milliseconds())
            async let work: Void = service.run()
            try await eventually {
                service.status().checks.contains { $0.name == "mail" && $0.cause?.contains(missing) == true }
            }
            #expect(try outbox.counts() == (waiting: 1, failed: 0))
            try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
            try await eventually { service.counts.sent == 1 }
            service.stop()
            try await work
        }
    }

    @Test func withoutItsIndexesItDoesNotStart() async throws {
        let folder = try TemporaryFolder()
        try await withWorker(folder: folder.path, indexes: false) { service, _ in
            await #expect(throws: MongoError.self) { try await service.run() }
        }
    }
}
