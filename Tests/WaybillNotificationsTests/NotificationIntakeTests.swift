import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillNotifications

struct ServiceNotificationTests {
    @Test func thePayloadIsWhatTheAppReads() {
        let notification = ServiceNotification(level: .warning, body: "Disk", text: "90 %", url: "https://e.example/1")
        let json = String(decoding: notification.payload(service: "s-1", time: 1_700_000_000_005), as: UTF8.self)
        #expect(
            json == #"{"aps":{"alert":{"body":"Disk"},"mutable-content":1},"#
                + #""notification":{"text":"90 %","url":"https://e.example/1","datetime":"2023-11-14T22:13:20.005Z","#
                + #""level":"warning","serviceUUID":"s-1"}}"#
        )
    }

    @Test func whatIsNotSaidIsNotThere() {
        let json = ServiceNotification(level: .info, body: "x").payload(service: "s", time: 0)
        #expect(!String(decoding: json, as: UTF8.self).contains("text"))
        #expect(!String(decoding: json, as: UTF8.self).contains("url"))
    }
}

/// Against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct NotificationIntakeTests {
    private static let now: Int64 = 1_700_000_000_000

    private struct Rig {
        let client: MongoClient
        let database: String

        let secrets: ServiceKeySecrets
        var services: ServiceStore { ServiceStore(client: client, database: database, secrets: secrets) }
        func store(_ owner: String = "one") -> NotificationStore {
            NotificationStore(client: client, database: database, owner: owner)
        }
        func intake(_ owner: String = "one", fcm: NotificationRoute.FCM? = nil) -> NotificationIntake {
            NotificationIntake(
                client: client,
                database: database,
                route: NotificationRoute(
                    client: "notices",
                    app: "com.example.parcels",
                    environment: .sandbox,
                    lane: "parcels",
                    testLane: "rehearsal",
                    fcm: fcm
                ),
                keep: .seconds(86_400),
                secrets: secrets,
                owner: owner
            )
        }
        func account(_ id: String, _ change: (BSONWriter) -> Void = { _ in }) throws {
            let document = BSONWriter()
            document.append("_id", string: id)
            // Unique, and nobody looks at it here.
            for field: StaticString in ["username_key", "email_key"] { document.append(field, string: id) }
            change(document)
            try erase(id)
            let bulk = client.collection(database: database, name: "accounts").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("insert")
        }
        func erase(_ account: String) throws {
            let delete = BSONDocument { writer in
                writer.append("delete", string: "accounts")
                writer.append(
                    "deletes",
                    array: { deletes in
                        deletes.append { one in
                            one.append("q") { $0.append("_id", string: account) }
                            one.append("limit", int: 1)
                        }
                    }
                )
            }
            _ = try client.command(database: database, delete)
        }
        func join(_ service: String, _ account: String) throws {
            let document = BSONWriter()
            document.append("service", string: service)
            document.append("account", string: account)
            document.append("role", string: "member")
            document.append("levels", int: 7)
            let bulk = client.collection(database: database, name: "memberships").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("insert")
        }

        func service(_ levels: NotificationLevels = .all) throws -> (id: String, key: ServiceKey) {
            let name = try #require(ServiceName("Backups"))
            let own = try services.create(owner: "acc_a", name: name, levels: levels, now: now)
            return (own.service.id, try #require(own.key))
        }

        func logIn(_ token: String, _ environment: Environment = .sandbox, user: String = "acc_a") throws {
            let address = DeviceAddress(
                provider: .apns,
                app: "com.example.parcels",
                environment: environment,
                token: token
            )
            try UserDevices(client: client, database: database).logIn(user: user, on: address, client: nil, now: now)
        }

        func documents() throws -> [BSONDocument] {
            try client.collection(database: database, name: "notifications").find(.empty).all()
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            _ = try NotificationIndexes.ensure(client: client, database: database)
            let keys = try #require(TokenKeys(root: [UInt8](repeating: 1, count: 32)))
            let rig = Rig(client: client, database: database, secrets: keys.serviceKeys)
            try rig.account("acc_a")
            try body(rig)
        }
    }

    private static func request(_ key: ServiceKey, _ body: String = "Done", name: String? = nil) -> NotificationRequest
    {
        NotificationRequest(
            key: key,
            content: ServiceNotification(level: .info, body: body),
            idempotencyKey: name
        )
    }

    private static func stored(_ answer: NotificationAnswer) throws -> StoredNotification {
        guard case .stored(let stored) = answer else { throw Unexpected(answer: answer) }
        return stored
    }

    private struct Unexpected: Error {
        let answer: NotificationAnswer
    }

    @Test func oneMessageForEachDeviceThatIsLoggedIn() throws {
        try Self.run { rig in
            let (id, key) = try rig.service()
            for token in ["bb", "aa"] { try rig.logIn(token) }
            try rig.logIn("cc", .production)
            try rig.logIn("dd", user: "acc_b")
            let stored = try Self.stored(try rig.intake().take(Self.request(key), now: Self.now))
            #expect(stored.messages.count == 1)
            let json = try #require(
                JSONSerialization.jsonObject(with: Data(stored.messages.first ?? [])) as? [String: Any]
            )
            #expect(json["batch_id"] as? String == stored.id)
            #expect(json["client"] as? String == "notices")
            #expect(json["service_id"] as? String == id)
            #expect(json["lane"] as? String == "parcels")
            #expect(json["device_tokens"] as? [String] == ["aa", "bb"])
            let payload = try #require(json["payload"] as? [String: Any])
            #expect((payload["notification"] as? [String: Any])?["serviceUUID"] as? String == id)
            let document = try #require(try rig.documents().first)
            #expect(document["service"]?.string == id)
            #expect(document["state"]?.string == "claimed")
            #expect(document["devices"]?.int == 2)
            #expect(document["erase_at"]?.date == Self.now + 86_400_000)
            #expect(document["recipients"]?.int == 1)
            #expect(try NotificationIndexes.missing(client: rig.client, database: rig.database).isEmpty)
        }
    }

    /// What the thesis' API takes is for Apple's phones alone, whatever else there is.
    @Test func theThesisKnowsNoAndroidPhones() throws {
        try Self.run { rig in
            let key = try rig.service().key
            try rig.logIn("aa")
            let android = DeviceAddress(provider: .fcm, app: "acme-parcels", environment: nil, token: "T:1")
            try UserDevices(client: rig.client, database: rig.database)
                .logIn(user: "acc_a", on: android, client: nil, now: Self.now)
            let intake = rig.intake(fcm: .init(project: "acme-parcels", lane: "android"))
            let stored = try Self.stored(try intake.take(Self.request(key), now: Self.now))
            #expect(stored.messages.count == 1)
            #expect(String(decoding: try #require(stored.messages.first), as: UTF8.self).contains(#"["aa"]"#))
            let document = try #require(try rig.documents().first)
            #expect((document["devices"]?.int, document["fcm_lane"]?.string) == (1, nil))
        }
    }

    @Test func whatIsNotTakenIsNotStored() throws {
        try Self.run { rig in
            let (id, key) = try rig.service(NotificationLevels(rawValue: 0b110))
            let stranger = try #require(ServiceKey(shown: String(repeating: "0", count: 64)))
            #expect(try rig.intake().take(Self.request(stranger), now: Self.now) == .unknownKey)
            #expect(try rig.intake().take(Self.request(key), now: Self.now) == .levelIsOff)
            var large = Self.request(key, String(repeating: "x", count: 4096))
            large.content.level = .error
            guard case .tooLarge(let count) = try rig.intake().take(large, now: Self.now) else {
                Issue.record("a payload that no phone takes was taken")
                return
            }
            #expect(count > 4096)
            try rig.services.delete(id, by: "acc_a", now: Self.now)
            #expect(try rig.intake().take(Self.request(key), now: Self.now) == .unknownKey)
            #expect(try rig.documents().isEmpty)
        }
    }

    /// Nobody speaks for an account that is suspended or has gone.
    @Test func aServiceOfNobodyIsSilent() throws {
        try Self.run { rig in
            let (id, key) = try rig.service()
            try rig.account("acc_b")
            try rig.join(id, "acc_b")
            try rig.account("acc_a") { $0.append("suspended_at", date: Self.now) }
            #expect(try rig.intake().take(Self.request(key), now: Self.now) == .unknownKey)
            try rig.account("acc_a")
            _ = try Self.stored(try rig.intake().take(Self.request(key), now: Self.now))
            try rig.erase("acc_a")
            #expect(try rig.intake().take(Self.request(key), now: Self.now) == .unknownKey)
            #expect(try rig.documents().count == 1)
        }
    }

    @Test func whoIsSuspendedHearsNothing() throws {
        try Self.run { rig in
            let (id, key) = try rig.service()
            try rig.logIn("aa")
            for (number, account) in ["acc_b", "acc_c", "acc_gone"].enumerated() {
                try rig.join(id, account)
                try rig.logIn("b\(number)", user: account)
            }
            try rig.account("acc_b")
            try rig.account("acc_c") { $0.append("suspended_at", date: Self.now) }
            _ = try Self.stored(try rig.intake().take(Self.request(key), now: Self.now))
            let document = try #require(try rig.documents().first)
            #expect((document["recipients"]?.int, document["devices"]?.int) == (2, 2))
        }
    }

    @Test func whatIsTooMuchIsNotStored() throws {
        try Self.run { rig in
            let (id, key) = try rig.service()
            var asked: [[String]] = []
            let answer = try rig.intake().take(Self.request(key), now: Self.now) { service, owner in
                asked.append([service, owner])
                return 7
            }
            #expect(answer == .tooMany(retryAfter: 7))
            #expect(asked == [[id, "acc_a"]])
            #expect(try rig.documents().isEmpty)
        }
    }

    /// Whatever the others of its round are, each request gets what it would have got by itself.
    @Test func eachOfARoundGetsItsOwnAnswer() throws {
        try Self.run { rig in
            let (one, two) = (try rig.service(), try rig.service(NotificationLevels(rawValue: 0b110)))
            try rig.account("acc_b")
            try rig.join(two.id, "acc_b")
            try rig.logIn("aa")
            try rig.logIn("bb", user: "acc_b")
            let before = try Self.stored(try rig.intake().take(Self.request(one.key, name: "sent"), now: Self.now))
            try rig.store().markSent([before.id], now: Self.now)
            let nobodys = try #require(ServiceKey(shown: String(repeating: "0", count: 64)))
            let requests = [
                Self.request(one.key), Self.request(one.key, name: "sent"), Self.request(nobodys),
                Self.request(one.key, String(repeating: "x", count: 4096)), Self.request(two.key),
                Self.request(one.key, "Other", name: "sent"), Self.request(one.key, "Often"),
                Self.request(one.key, "Twice", name: "twice"), Self.request(one.key, "Twice", name: "twice"),
            ]
            let intake = rig.intake()
            let addressed = try intake.address(requests, now: Self.now)
            #expect(addressed.map(\.people) == [1, 1, 0, 1, 2, 1, 1, 1, 1])
            let answers = try intake.take(addressed, now: Self.now) { request, service, owner in
                #expect(owner == "acc_a")
                #expect(service == (request.key.limitName == two.key.limitName ? two.id : one.id))
                return request.content.body == "Often" ? 7 : nil
            }.map { try $0.get() }
            let first = try Self.stored(answers[0])
            #expect(first.messages.count == 1)
            #expect(String(decoding: try #require(first.messages.first), as: UTF8.self).contains(#"["aa"]"#))
            #expect(answers[1] == .sentBefore)
            #expect(answers[2] == .unknownKey)
            if case .tooLarge = answers[3] {} else { Issue.record("\(answers[3])") }
            // The second service's owner has switched the level off, who joined has not.
            let toTheOther = try Self.stored(answers[4])
            #expect(String(decoding: try #require(toTheOther.messages.first), as: UTF8.self).contains(#"["bb"]"#))
            #expect(answers[5] == .otherContent)
            #expect(answers[6] == .tooMany(retryAfter: 7))
            #expect(answers[7] == answers[8])
            let ids = Set(answers[0...8].compactMap { answer in try? Self.stored(answer).id }).union([before.id])
            #expect(try Set(rig.documents().compactMap { $0["_id"]?.string }) == ids)
            #expect(ids.count == 4)
        }
    }

    @Test func withoutANameEachRequestIsAnotherNotification() throws {
        try Self.run { rig in
            let key = try rig.service().key
            let first = try Self.stored(try rig.intake().take(Self.request(key), now: Self.now))
            let second = try Self.stored(try rig.intake().take(Self.request(key), now: Self.now))
            #expect(first.id != second.id)
            #expect(try rig.documents().count == 2)
        }
    }

    /// A gateway that was killed, and a retry at another one: the same bytes at the same time, whatever has changed meanwhile.
    @Test func theSameNameIsTheSameNotification() throws {
        try Self.run { rig in
            let key = try rig.service().key
            try rig.logIn("aa")
            let first = try Self.stored(try rig.intake("one").take(Self.request(key, name: "job-7"), now: Self.now))
            try rig.logIn("bb")
            let again = try rig.intake("two").take(Self.request(key, name: "job-7"), now: Self.now + 5000)
            #expect(try Self.stored(again) == first)
            #expect(try rig.intake().take(Self.request(key, "Other", name: "job-7"), now: Self.now) == .otherContent)
            try rig.store().markSent([first.id], now: Self.now + 1)
            #expect(try rig.intake().take(Self.request(key, name: "job-7"), now: Self.now + 9) == .sentBefore)
            #expect(try rig.documents().count == 1)
            // Another service's name is another's.
            let other = try rig.service().key
            #expect(
                try Self.stored(try rig.intake().take(Self.request(other, name: "job-7"), now: Self.now)).id != first.id
            )
        }
    }

    @Test func whatWasNotHandedOverInTimeIsClaimedOnce() throws {
        try Self.run { rig in
            let key = try rig.service().key
            try rig.logIn("aa")
            let stored = try Self.stored(try rig.intake("one").take(Self.request(key), now: Self.now))
            let end = Self.now + NotificationStore.lease
            #expect(try rig.store("two").claimOverdue(now: end - 1) == nil)
            #expect(try rig.store("two").claimOverdue(now: end) == stored)
            #expect(try rig.store("three").claimOverdue(now: end) == nil)
            try rig.store("two").markSent([stored.id], now: end + 1)
            #expect(try rig.store("three").claimOverdue(now: end + 10 * NotificationStore.lease) == nil)
            let document = try #require(try rig.documents().first)
            #expect(document["state"]?.string == "sent")
            #expect(document["sent"] == .bool(true))
            #expect(document["messages"] == nil)
        }
    }
}
