import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOutbox

@Suite("The mails that wait", .enabled(if: TestDatabase.isAvailable))
struct MailOutboxTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let lease = Duration.seconds(60)

    private func mail(_ subject: String = "Confirm") throws -> Mail {
        try Mail(
            to: try MailAddress("ada@example.org"),
            subject: subject,
            paragraphs: ["Hello"],
            link: try MailLink(label: "Confirm", url: "https://example.com/confirm/secret-token")
        )
    }

    private func document(_ client: MongoClient, _ database: String) throws -> BSONDocument {
        try #require(try client.collection(database: database, name: "outbox_mail").findOne(.empty))
    }

    @Test func aMailGoesInOnceAndComesOutAsItWas() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            #expect(try outbox.enqueue(id: "a", mail("first"), now: Self.now, notAfter: Self.now + 5))
            #expect(try !outbox.enqueue(id: "a", mail("second"), now: Self.now + 1))
            #expect(try outbox.counts() == (waiting: 1, failed: 0))
            #expect(try outbox.claim(now: Self.now - 1, for: Self.lease) == nil)
            let claimed = try #require(try outbox.claim(now: Self.now, for: Self.lease))
            #expect(claimed.id == "a")
            #expect(try claimed.mail == mail("first"))
            #expect(claimed.attempt == 1)
            #expect(claimed.createdAt == Self.now)
            #expect(claimed.notAfter == Self.now + 5)
        }
    }

    @Test func oneAtATimeHasAMailAndTheNextWhenItsLeaseIsOver() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            _ = try outbox.enqueue(id: "a", mail(), now: Self.now)
            let first = try #require(try outbox.claim(now: Self.now, for: Self.lease))
            #expect(try outbox.claim(now: Self.now + 59_999, for: Self.lease) == nil)
            let second = try #require(try outbox.claim(now: Self.now + 60_000, for: Self.lease))
            #expect(second.id == first.id)
            #expect(second.attempt == 2)
            #expect(second.mail == first.mail)
            // What the first one says comes too late.
            try outbox.noteFailed(first, error: "late", now: Self.now + 60_001)
            #expect(try outbox.counts() == (waiting: 1, failed: 0))
            try outbox.noteSent(second, now: Self.now + 60_002)
            #expect(try outbox.counts() == (waiting: 0, failed: 0))
        }
    }

    @Test func whatIsDueForLongestComesFirst() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            for (id, due) in [("b", 2), ("a", 1), ("c", 3)] {
                _ = try outbox.enqueue(id: id, mail(), now: Self.now + Int64(due))
            }
            let ids = try (0..<4).map { _ in try outbox.claim(now: Self.now + 10, for: Self.lease)?.id }
            #expect(ids == ["a", "b", "c", nil])
        }
    }

    @Test func whatWasSentIsErasedAndStillKnown() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            _ = try outbox.enqueue(id: "a", mail(), now: Self.now)
            let claimed = try #require(try outbox.claim(now: Self.now, for: Self.lease))
            try outbox.noteSent(claimed, now: Self.now + 1000)
            let left = try document(client, database)
            #expect(!String(decoding: left.bytes, as: UTF8.self).contains("secret-token"))
            #expect(left["state"]?.string == "sent")
            #expect(left["expires_at"]?.date == Self.now + 1000 + 7 * 86_400_000)
            #expect(try outbox.claim(now: .max / 2, for: Self.lease) == nil)
            #expect(try !outbox.enqueue(id: "a", mail(), now: Self.now + 2000))
        }
    }

    /// A mail that has gone is not sent again because the store refuses a part of its end.
    @Test func whatWasSentEndsByItsStateAlone() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            _ = try outbox.enqueue(id: "a", mail(), now: Self.now)
            let claimed = try #require(try outbox.claim(now: Self.now, for: Self.lease))
            try TestDatabase.require(in: "outbox_mail", of: database, client) { rule in
                rule.append("done_at") { $0.append("$exists", bool: false) }
            }
            try outbox.noteSent(claimed, now: Self.now + 1000)
            #expect(try document(client, database)["state"]?.string == "sent")
            #expect(try outbox.claim(now: .max / 2, for: Self.lease) == nil)
        }
    }

    @Test func whatFailsComesBackWhenItIsDueAndIsGivenUpForGood() throws {
        try OutboxStore.withDatabase { client, database in
            let outbox = MailOutbox(client: client, database: database)
            _ = try outbox.enqueue(id: "a", mail(), now: Self.now)
            let first = try #require(try outbox.claim(now: Self.now, for: Self.lease))
            try outbox.postpone(first, error: "450", until: Self.now + 5000)
            #expect(try outbox.claim(now: Self.now + 4999, for: Self.lease) == nil)
            let second = try #require(try outbox.claim(now: Self.now + 5000, for: Self.lease))
            #expect(second.attempt == 2)
            try outbox.noteFailed(second, error: "550", now: Self.now + 6000)
            #expect(try outbox.counts() == (waiting: 0, failed: 1))
            let left = try document(client, database)
            #expect(left["error"]?.string == "550")
            #expect(!String(decoding: left.bytes, as: UTF8.self).contains("secret-token"))
            #expect(try outbox.claim(now: .max / 2, for: Self.lease) == nil)
        }
    }

    @Test func whatSomebodyElseWroteThereIsClaimedWithoutAMail() throws {
        try OutboxStore.withDatabase { client, database in
            let bulk = client.collection(database: database, name: "outbox_mail").bulk()
            let foreign = BSONWriter()
            foreign.append("_id", string: "a")
            foreign.append("to", string: "a@b\r\nBcc: c@d")
            foreign.append("subject", string: "s")
            foreign.append("text", string: "t")
            foreign.append("html", string: "h")
            foreign.append("state", string: "waiting")
            foreign.append("due", date: Self.now)
            try bulk.insert(foreign)
            #expect(bulk.execute().inserted == 1)
            let claimed = try #require(
                try MailOutbox(client: client, database: database).claim(now: Self.now, for: Self.lease)
            )
            #expect(claimed.mail == nil)
        }
    }

    @Test func theIndexesAreMissedAndMade() throws {
        try OutboxStore.withDatabase { client, database in
            let missing = try OutboxIndexes.missing(client: client, database: database)
            #expect(missing.isEmpty)
            let elsewhere = try OutboxIndexes.missing(client: client, database: database + "x")
            #expect(
                elsewhere == [
                    "outbox_mail.state_due", "outbox_mail.end", "webhook_deliveries.endpoint_state_due",
                    "webhook_deliveries.end", "webhook_endpoints.service",
                    "webhook_endpoints.author", "webhook_endpoints.end", "webhook_secrets.end",
                ]
            )
        }
    }
}
