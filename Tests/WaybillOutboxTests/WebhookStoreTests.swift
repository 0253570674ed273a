import Testing
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOutbox

@Suite("Webhooks in the store", .enabled(if: TestDatabase.isAvailable))
struct WebhookStoreTests {
    private static let now: Int64 = 1_700_000_000_000

    private func event(_ name: String) -> WebhookEvent {
        WebhookEvent(.accepted, of: name, date: Self.now) { $0.member("notification", name) }
    }

    private func add(_ client: MongoClient, _ database: String, events: [WebhookEventType] = []) throws -> String {
        let id = WebhookEndpoints.newID()
        try WebhookEndpoints(client: client, database: database).add(
            id,
            owner: .client("acme"),
            url: try WebhookURL("https://example.com/x", allowsPlain: false),
            events: events,
            by: "tests"
        )
        return id
    }

    @Test func anEndpointIsMadeSwitchedAndRemoved() throws {
        try OutboxStore.withDatabase { client, database in
            let endpoints = WebhookEndpoints(client: client, database: database)
            let id = try add(client, database, events: [.rejected, .deviceInvalid])
            let made = try #require(try endpoints.all().first)
            #expect((made.id, made.owner, made.url) == (id, .client("acme"), "https://example.com/x"))
            #expect(made.isActive && made.reason == nil && made.activeSince > Self.now && made.createdBy == "tests")
            #expect(made.wants(.rejected) && made.wants(.deviceInvalid) && made.wants(.test) && !made.wants(.accepted))
            #expect(try endpoints.disable(id, reason: "why"))
            let off = try #require(try endpoints.all().first)
            #expect(!off.isActive && off.reason == "why" && !off.isGivenUp)
            try endpoints.note(id, lastSuccess: 5, failingSince: 6, restUntil: 7)
            let noted = try #require(try endpoints.all().first)
            #expect((noted.lastSuccess, noted.failingSince, noted.restUntil) == (5, 6, 7))
            #expect(try endpoints.enable(id) == .made)
            let on = try #require(try endpoints.all().first)
            #expect(on.isActive && on.reason == nil && on.failingSince == nil && on.restUntil == nil)
            #expect(on.activeSince > made.activeSince && on.lastSuccess == 5)
            // One that takes events goes on as it is.
            #expect(try endpoints.enable(id) == .before)
            #expect(try endpoints.all().first?.activeSince == on.activeSince)
            // An answer to what was sent before it was enabled comes too late.
            #expect(try !endpoints.giveUp(id, reason: "by itself", activeSince: made.activeSince))
            #expect(try endpoints.giveUp(id, reason: "by itself", activeSince: on.activeSince))
            #expect(try WebhookTroubles(client, database, lateAfter: .seconds(60), now: Self.now).givenUp == [id])
            #expect(try endpoints.enable(id) == .made)
            try endpoints.note(id, lastSuccess: 8, failingSince: nil, restUntil: nil)
            #expect(try endpoints.all().first?.lastSuccess == 8)
            #expect(try endpoints.remove(id, now: .init(4_000_000_000_000)))
            #expect(try endpoints.all() == [])
            let answers = [
                try endpoints.disable(id, reason: "x"), try endpoints.remove("we_0", now: 1),
            ]
            #expect(answers == [false, false])
            #expect(try endpoints.enable(id) == .missing)
        }
    }

    @Test func aServicesEndpointsAreItsOwn() throws {
        try OutboxStore.withDatabase { client, database in
            let endpoints = WebhookEndpoints(client: client, database: database)
            let secrets = WebhookSecrets(client: client, database: database)
            _ = try add(client, database)
            var ids: [String] = []
            for service in ["s1", "s1", "s2"] {
                let id = WebhookEndpoints.newID()
                _ = try secrets.make(for: id)
                let url = try WebhookURL("https://example.com/x", allowsPlain: false)
                try endpoints.add(id, owner: .service(service), url: url, events: [.memberJoined], by: "acc_a")
                ids.append(id)
            }
            #expect(try Set(endpoints.all(ofService: "s1").map(\.id)) == Set(ids.prefix(2)))
            #expect(try endpoints.all(ofService: "acme") == [])
            #expect(try Set(endpoints.allOfServices().map(\.id)) == Set(ids))
            #expect(try endpoints.all().count == 4)

            // That it was given up is told once, and again when somebody has enabled it.
            #expect(try endpoints.givenUpUntold() == [])
            for _ in 0..<2 {
                let made = try #require(try endpoints.all(ofService: "s2").first)
                #expect(try endpoints.giveUp(made.id, reason: "by itself", activeSince: made.activeSince))
                let found = try #require(try endpoints.givenUpUntold().first)
                #expect(found.owner == .service("s2"))
                #expect(try WebhookTroubles(client, database, lateAfter: .seconds(60), now: Self.now).givenUp == [])
                try endpoints.noteTold(found, now: Self.now)
                #expect(try endpoints.givenUpUntold() == [])
                #expect(try endpoints.enable(made.id) == .made)
            }
            try WebhookEndpoints.removeAll(ofService: "s1", client: client, database: database, now: 4_000_000_000_000)
            #expect(try endpoints.all().count == 2)
            #expect(try secrets.all().filter { $0.value.isEmpty }.keys.sorted() == ids.prefix(2).sorted())
        }
    }

    @Test func secretsRotateWithAnOverlap() throws {
        try OutboxStore.withDatabase { client, database in
            let secrets = WebhookSecrets(client: client, database: database)
            let first = try secrets.make(for: "we_1")
            #expect(try secrets.all() == ["we_1": [.init(secret: first, until: nil)]])
            func rotate(_ overlap: Int64, at now: Int64 = Self.now) throws -> WebhookSecret {
                guard case .rotated(let secret) = try secrets.rotate("we_1", overlap: overlap, now: now) else {
                    throw CancellationError()
                }
                return secret
            }
            let second = try rotate(5000)
            let third = try rotate(1000)
            // Each signs until the end that it was promised.
            #expect(
                try secrets.all()["we_1"] == [
                    .init(secret: third, until: nil), .init(secret: second, until: Self.now + 1000),
                    .init(secret: first, until: Self.now + 5000),
                ]
            )
            let fourth = try rotate(1000, at: Self.now + 1000)
            #expect(
                try secrets.all()["we_1"] == [
                    .init(secret: fourth, until: nil), .init(secret: third, until: Self.now + 2000),
                    .init(secret: first, until: Self.now + 5000),
                ]
            )
            _ = (try rotate(9000, at: Self.now + 1001), try rotate(9000, at: Self.now + 1001))
            #expect(try secrets.rotate("we_1", overlap: 1000, now: Self.now + 1001) == .full(until: Self.now + 2000))
            let last = try rotate(0)
            #expect(try secrets.all()["we_1"] == [.init(secret: last, until: nil)])
            #expect(try secrets.rotate("we_2", overlap: 0, now: Self.now) == .changed)
            try secrets.remove("we_1", now: .init(4_000_000_000_000))
            #expect(try secrets.all()["we_1"] == [])
            #expect(try secrets.rotate("we_1", overlap: 0, now: Self.now) == .changed)
        }
    }

    @Test func whatIsToldIsKnownByEventAndEndpoint() throws {
        try OutboxStore.withDatabase { client, database in
            let deliveries = WebhookDeliveries(client: client, database: database)
            let (one, two) = (event("1"), event("2"))
            try deliveries.enqueue([(one, "we_a"), (two, "we_a"), (one, "we_b")], now: Self.now)
            try deliveries.enqueue([(one, "we_a")], now: Self.now + 1)
            let due = try deliveries.due(at: "we_a", now: Self.now, limit: 10)
            #expect(due.map(\.event).sorted() == [one.id, two.id].sorted())
            #expect(due.allSatisfy { $0.attempts == 0 && $0.log == [] && $0.createdAt == Self.now })
            #expect(try deliveries.due(at: "we_a", now: Self.now, limit: 1).count == 1)
            #expect(try deliveries.due(at: "we_a", now: Self.now - 1, limit: 10) == [])
            #expect(String(decoding: due.first { $0.event == one.id }?.body ?? [], as: UTF8.self) == one.body)
            #expect(try deliveries.overdue(at: ["we_a"], for: .seconds(60), now: Self.now + 59_999) == 0)
            #expect(try deliveries.overdue(at: ["we_a", "we_c"], for: .seconds(60), now: Self.now + 60_000) == 2)

            let refused = WebhookAttempt(at: Self.now, milliseconds: 12, status: 500, error: nil)
            let taken = WebhookAttempt(at: Self.now + 9, milliseconds: 3, status: 204, error: nil)
            let (first, second) = (WebhookDeliveries.id(one.id, at: "we_a"), WebhookDeliveries.id(two.id, at: "we_a"))
            try deliveries.note([
                .init(delivery: first, attempt: refused, state: .waiting, due: Self.now + 5000, answer: "no"),
                .init(delivery: second, attempt: refused, state: .failed),
            ])
            #expect(try deliveries.due(at: "we_a", now: Self.now + 4999, limit: 10) == [])
            let postponed = try #require(try deliveries.due(at: "we_a", now: Self.now + 5000, limit: 10).first)
            #expect((postponed.id, postponed.attempts, postponed.log, postponed.answer) == (first, 1, [refused], "no"))
            try deliveries.note([.init(delivery: first, attempt: taken, state: .delivered)])
            let told = try #require(try deliveries.delivery(first))
            #expect((told.state, told.due, told.attempts, told.log) == (.delivered, nil, 2, [refused, taken]))
            #expect(try deliveries.list(at: "we_a", states: [.failed], limit: 9).map(\.id) == [second])
            #expect(try deliveries.count(at: ["we_a"], .failed) == 1)

            let all = Int64(0)..<Int64.max
            let failed = try deliveries.replay(at: "we_a", event: nil, dates: all, states: [.failed], now: Self.now + 9)
            #expect(failed == 1)
            #expect(try deliveries.due(at: "we_a", now: Self.now + 9, limit: 9).map(\.id) == [second])
            let again = try deliveries.replay(
                at: "we_a",
                event: one.id,
                dates: all,
                states: [.delivered, .failed],
                now: Self.now + 9
            )
            #expect(again == 1)
            let restarted = try #require(try deliveries.delivery(first))
            #expect((restarted.state, restarted.attempts, restarted.log.count) == (.waiting, 0, 2))
            let early = Int64(0)..<Self.now
            #expect(try deliveries.replay(at: "we_a", event: nil, dates: early, states: [.waiting], now: 1) == 0)
        }
    }

    /// An event that the server refuses ends by itself, when it is put in and when its attempt is noted.
    @Test func aRefusedEventKeepsNoOtherWaiting() throws {
        try OutboxStore.withDatabase { client, database in
            let deliveries = WebhookDeliveries(client: client, database: database)
            let (one, two, three) = (event("1"), event("2"), event("3"))
            try TestDatabase.require(in: "webhook_deliveries", of: database, client) { rule in
                rule.append("event") { $0.append("$ne", string: three.id) }
            }
            let events = [(event: three, endpoint: "we_a"), (one, "we_a"), (two, "we_a")]
            let refused = try deliveries.enqueueAccepted(events, now: Self.now)
            #expect(refused.map(\.position) == [0])
            #expect(throws: MongoError.self) { try deliveries.enqueue([(three, "we_a")], now: Self.now) }
            #expect(Set(try deliveries.due(at: "we_a", now: Self.now, limit: 9).map(\.event)) == [one.id, two.id])

            let (first, second) = (WebhookDeliveries.id(one.id, at: "we_a"), WebhookDeliveries.id(two.id, at: "we_a"))
            func spoil(_ id: String) throws {
                let bulk = client.collection(database: database, name: "webhook_deliveries").bulk()
                try bulk.updateOne(
                    filter: BSONDocument { $0.append("_id", string: id) },
                    update: BSONDocument { writer in writer.append("$set") { $0.append("attempts", string: "none") } },
                    upsert: false
                )
                try bulk.execute().requireDurable("spoil")
            }
            try spoil(first)
            let attempt = WebhookAttempt(at: Self.now, milliseconds: 3, status: 500, error: nil)
            try deliveries.note(
                [first, second].map { .init(delivery: $0, attempt: attempt, state: .waiting, due: Self.now + 5000) }
            )
            let spoilt = try #require(try deliveries.delivery(first))
            #expect(spoilt.state == .failed && spoilt.due == nil)
            #expect(spoilt.answer?.hasPrefix("the store refuses the query (") == true)
            #expect(try deliveries.delivery(second)?.attempts == 1)

            // Nor does one whose end is refused, too.
            try TestDatabase.require(in: "webhook_deliveries", of: database, client) { rule in
                rule.append("state") { $0.append("$ne", string: "failed") }
            }
            let four = event("4")
            try deliveries.enqueue([(four, "we_a")], now: Self.now)
            let last = WebhookDeliveries.id(four.id, at: "we_a")
            try spoil(second)
            let stuck = try deliveries.note(
                [second, last].map { .init(delivery: $0, attempt: attempt, state: .waiting, due: Self.now + 5000) }
            )
            #expect(stuck.map(\.position) == [0])
            #expect(try deliveries.delivery(second)?.state == .waiting)
            #expect(try deliveries.delivery(last)?.attempts == 1)
        }
    }

    @Test func oneAtATimeReadsTheLog() throws {
        try OutboxStore.withDatabase { client, database in
            let first = WebhookProgress(client: client, database: database, work: .log)
            let second = WebhookProgress(client: client, database: database, work: .log)
            var place = try #require(try first.hold(now: Self.now))
            #expect(place == .init())
            #expect(try second.hold(now: Self.now + WebhookProgress.patience) == nil)
            // The other work is another matter.
            let sender = WebhookProgress(client: client, database: database, work: .sender)
            #expect(try sender.hold(now: Self.now) != nil)
            place.position = "82AB"
            place.sequences = [.client("acme"): 7, .client("b.c$"): 1, .service("acme"): 3]
            #expect(try first.note(place, now: Self.now))
            #expect(try first.hold(now: Self.now) == place)
            // It has said nothing for too long.
            #expect(try second.hold(now: Self.now + WebhookProgress.patience + 1) == place)
            #expect(try !first.note(place, now: Self.now))
            #expect(try first.hold(now: Self.now) == nil)
            try second.release()
            #expect(try first.hold(now: Self.now) == place)
        }
    }
}
