import Testing
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Against a real mongod; a database of its own for each test.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct KeyStoreTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000

    private func withDatabase(_ body: (MongoClient, String) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            try body(client, database)
        }
    }

    private func request(_ clients: ClientScope = .all, expiresAt: Int64? = nil) -> KeyIssuer.Request {
        KeyIssuer.Request(name: "desk", role: .investigator, clients: clients, expiresAt: expiresAt)
    }

    @Test(arguments: [ClientScope.all, .only(["acme", "globex"]), .only([]), .only(["caf\u{E9}", "cafe\u{301}"])])
    func aKeyIsFoundAsItWasMade(clients: ClientScope) throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let made = try issuer.create(request(clients, expiresAt: Self.now + 5), by: "ops@a", now: Self.now)
            _ = try issuer.create(request(), by: "ops@a", now: Self.now)
            let reader = KeyReader(client: client, database: database)
            #expect(try reader.key(made.secret.digest) == made.key)
            #expect(try reader.key(id: made.key.id) == made.key)
            #expect(made.key.clients == clients)
            #expect(try reader.key(KeySecret.generate(mode: .live).digest) == nil)
            #expect(try reader.keys().count == 2)
        }
    }

    @Test func theStoreNeverHasTheKey() throws {
        try withDatabase { client, database in
            let made = try KeyIssuer(client: client, database: database).create(request(), by: "ops", now: Self.now)
            let document = try #require(try client.collection(database: database, name: "keys").findOne(.empty))
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(text.contains(made.secret.lastFour))
            #expect(!text.contains(made.secret.reveal().dropFirst(9).prefix(30)))
        }
    }

    @Test func noTwoKeysHaveOneDigest() throws {
        try withDatabase { client, database in
            let made = try KeyIssuer(client: client, database: database).create(request(), by: "ops", now: Self.now)
            let copy = AccessKey(
                id: "key_copy",
                mode: .live,
                lastFour: "aaaa",
                name: "copy",
                role: .steward,
                clients: .all,
                createdBy: "x",
                createdAt: Self.now
            )
            #expect(throws: MongoError.self) {
                try KeyWriter(client: client, database: database).insert(copy, digest: made.secret.digest)
            }
        }
    }

    /// Two documents that differ from a good key in one field each.
    @Test(arguments: ["operator without clients", "service with all"])
    func whatDoesNotSayWhatItAllowsIsNoKey(case name: String) throws {
        try withDatabase { client, database in
            let digest = KeySecret.generate(mode: .live).digest
            let isService = name.hasPrefix("service")
            let document = BSONWriter(capacity: 256)
            document.append("_id", string: "key_a")
            document.append("digest", string: digest.hexadecimal)
            document.append("kind", string: isService ? "service" : "operator")
            document.append("mode", string: "live")
            document.append("last_four", string: "abcd")
            document.append("name", string: "a")
            document.append("role", string: "reader")
            if isService { document.append("all_clients", bool: true) }
            document.append("created_by", string: "a")
            document.append("created_at", date: Self.now)
            let bulk = client.collection(database: database, name: "keys").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("insert")
            let reader = KeyReader(client: client, database: database)
            #expect(try reader.key(digest) == nil)
            #expect(try reader.keys().isEmpty)
        }
    }

    @Test(arguments: KeyOverlap.allCases)
    func aRotatedKeyHoldsForItsOverlap(overlap: KeyOverlap) throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let reader = KeyReader(client: client, database: database)
            let old = try issuer.create(request(.only(["acme"])), by: "ops", now: Self.now)
            let new = try issuer.rotate(old.key.id, overlap: overlap, isForced: false, by: "b", now: Self.now + 10)
            #expect(new.oldEnds == Self.now + 10 + overlap.milliseconds)
            #expect(new.key.role == .investigator)
            #expect(new.key.clients == .only(["acme"]))
            #expect(new.key.createdBy == "b")
            let found = try #require(try reader.key(old.secret.digest))
            #expect(found.replacedBy == new.key.id)
            #expect(found.isGood(now: Self.now + 10) == (overlap != .none))
            #expect(found.isGood(now: new.oldEnds - 1))
            #expect(!found.isGood(now: new.oldEnds))
            #expect(try #require(try reader.key(new.secret.digest)).state(now: new.oldEnds) == .live)
        }
    }

    @Test func aSecondRotationInsideTheWindowNeedsForce() throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let old = try issuer.create(request(), by: "ops", now: Self.now)
            let new = try issuer.rotate(old.key.id, overlap: .hour, isForced: false, by: "ops", now: Self.now)
            let end = Self.now + Self.hour
            for id in [old.key.id, new.key.id] {
                #expect(throws: KeyProblem.rotating(id, until: end)) {
                    try issuer.rotate(id, overlap: .hour, isForced: false, by: "ops", now: Self.now + 1)
                }
            }
            #expect(throws: KeyProblem.ended(old.key.id)) {
                try issuer.rotate(old.key.id, overlap: .hour, isForced: true, by: "ops", now: end)
            }
            // After the window the successor stands alone.
            _ = try issuer.rotate(new.key.id, overlap: .none, isForced: false, by: "ops", now: end)
            let third = try issuer.create(request(), by: "ops", now: Self.now)
            _ = try issuer.rotate(third.key.id, overlap: .week, isForced: false, by: "ops", now: Self.now)
            let forced = try issuer.rotate(third.key.id, overlap: .none, isForced: true, by: "ops", now: Self.now + 2)
            #expect(forced.oldEnds == Self.now + 2)
            #expect(throws: KeyProblem.notFound("key_x")) {
                try issuer.rotate("key_x", overlap: .day, isForced: false, by: "ops", now: Self.now)
            }
        }
    }

    @Test func aRotationLengthensNoLife() throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let old = try issuer.create(request(expiresAt: Self.now + 2 * Self.hour), by: "ops", now: Self.now)
            let time = Self.now + Self.hour
            let new = try issuer.rotate(old.key.id, overlap: .day, isForced: false, by: "ops", now: time)
            #expect(new.oldEnds == Self.now + 2 * Self.hour)
            #expect(new.key.expiresAt == Self.now + 3 * Self.hour)
        }
    }

    /// Also where the overlap has taken the place of the end that the key was made with.
    @Test func aForcedRotationLengthensNoLife() throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            func rotate(_ id: String, at time: Int64) throws -> AccessKey {
                try issuer.rotate(id, overlap: .hour, isForced: true, by: "ops", now: Self.now + time).key
            }
            let first = try issuer.create(request(expiresAt: Self.now + 5 * Self.hour), by: "ops", now: Self.now).key
            let second = try rotate(first.id, at: 1)
            let third = try rotate(second.id, at: 2)
            let fourth = try rotate(first.id, at: 3)
            #expect(second.expiresAt == Self.now + 1 + 5 * Self.hour)
            #expect(third.expiresAt == Self.now + 2 + 5 * Self.hour)
            #expect(fourth.expiresAt == Self.now + 3 + 5 * Self.hour)
            let unending = try issuer.create(request(), by: "ops", now: Self.now).key
            #expect(try rotate(try rotate(unending.id, at: 1).id, at: 2).expiresAt == nil)
        }
    }

    @Test func aRotationThatIsNotConfirmedShowsTheNewKey() throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let old = try issuer.create(request(), by: "ops", now: Self.now)
            // From here on the store takes no note of a successor.
            try TestDatabase.require(in: "keys", of: database, client) { rule in
                rule.append("replaced_by") { $0.append("$exists", bool: false) }
            }
            let rotation = try issuer.rotate(old.key.id, overlap: .none, isForced: false, by: "ops", now: Self.now + 1)
            #expect(rotation.doubt != nil)
            let found = try KeyReader(client: client, database: database).key(rotation.secret.digest)
            #expect(found?.id == rotation.key.id)
            #expect(found?.isGood(now: Self.now + 1) == true)
        }
    }

    @Test func revokedIsRevoked() throws {
        try withDatabase { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            let made = try issuer.create(request(), by: "ops", now: Self.now)
            try issuer.revoke(made.key.id, now: Self.now + 5)
            try issuer.revoke(made.key.id, now: Self.now + 9)
            let found = try #require(try KeyReader(client: client, database: database).key(made.secret.digest))
            #expect(found.revokedAt == Self.now + 5)
            #expect(!found.isGood(now: Self.now + 5))
            #expect(throws: KeyProblem.notFound("key_x")) { try issuer.revoke("key_x", now: Self.now) }
            #expect(throws: KeyProblem.ended(made.key.id)) {
                try issuer.rotate(made.key.id, overlap: .day, isForced: true, by: "ops", now: Self.now + 6)
            }
        }
    }

    @Test func aUseIsNotedToTheMinute() throws {
        try withDatabase { client, database in
            let made = try KeyIssuer(client: client, database: database).create(request(), by: "ops", now: Self.now)
            let (reader, writer) = (
                KeyReader(client: client, database: database), KeyWriter(client: client, database: database)
            )
            for (after, noted) in [(0, 0), (59_999, 0), (60_000, 60_000)] as [(Int64, Int64)] {
                try writer.noteUse(of: made.key.id, at: Self.now + after)
                #expect(try reader.key(id: made.key.id)?.lastUsedAt == Self.now + noted)
            }
        }
    }

    @Test func theAuditHasTheDigestAndNotTheToken() throws {
        try withDatabase { client, database in
            let made = try KeyIssuer(client: client, database: database).create(request(), by: "ops", now: Self.now)
            let token = String(repeating: "00fc13ad", count: 8)
            let entry = AuditEntry(
                lookUpBy: made.key,
                token: token.utf8,
                how: "GET /v1/deliveries",
                request: "r1",
                address: nil,
                at: Self.now
            )
            try AuditWriter(client: client, database: database).write(entry)
            let document = try #require(try client.collection(database: database, name: "audit").findOne(.empty))
            #expect(document["action"]?.string == "token.look_up")
            #expect(document["key"]?.string == made.key.id)
            #expect(document["token"]?.string == entry.tokenDigest)
            #expect(document["at"]?.date == Self.now)
            #expect(!String(decoding: document.bytes, as: UTF8.self).contains(token))
        }
    }
}
