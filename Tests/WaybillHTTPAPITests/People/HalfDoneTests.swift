import Testing
import WaybillAccounts
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI

/// Changes of services that the store refuses in the middle, or whose process ends there: they hold, and others do the rest.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct HalfDoneTests {
    /// Says that what is begun was begun before anybody works on it; `place` names the field in each of an array.
    private func age(_ field: String, in collection: String, of place: String? = nil, _ rig: NoticeRig) throws {
        let filter = BSONDocument { writer in
            _ = writer.append(name: field, value: .document(BSONDocument { $0.append("$exists", bool: true) }))
        }
        let update = BSONDocument { writer in
            writer.append("$set") {
                _ = $0.append(name: place ?? field, value: .date(WallClock.milliseconds() - 61_000))
            }
        }
        try rig.api.pool.withClient { client throws(MongoError) in
            let bulk = client.collection(database: rig.api.database, name: collection).bulk()
            try bulk.updateMany(filter: filter, update: update)
            try bulk.execute().requireDurable("age")
        }
    }

    private func audit(_ action: String, _ rig: NoticeRig) throws -> Int {
        try rig.api.documents("audit").count { $0["action"]?.string == action }
    }

    private func eve(_ rig: NoticeRig) async throws -> String {
        try #require(try await rig.people.ask("GET", "/v1/account", token: rig.eve.access).json["id"] as? String)
    }

    @Test(arguments: ["memberships", "audit", "service_keys"]) func aServiceThatIsDeletedEnds(
        refusing collection: String
    ) async throws {
        try await NoticeRig.run { rig in
            let path = "/v1/services/\(rig.service)"
            let hook: [String: Any] = ["url": "https://hooks.example.com/ada", "events": ["member.left"]]
            #expect(try await rig.people.ask("POST", "\(path)/webhooks", hook, token: rig.ada.access).status == 201)
            try rig.join(try await eve(rig), as: .member)
            try rig.require(in: collection) { $0.append("never", bool: true) }
            #expect(try await rig.people.ask("DELETE", path, token: rig.ada.access).status == 204)
            #expect(try await rig.people.ask("GET", path, token: rig.ada.access).status == 404)
            let line = try #require(rig.api.lines().first { $0.contains("api.deletionHeldUp") })
            #expect(line.contains(rig.service))
            try rig.require(in: collection)
            let told = Guarded<[APIEvent]>([])
            let door = try rig.door { event in told.withLock { $0.append(event) } }
            defer { door.stop() }
            // Whoever works on it is not looked for.
            await door.finishDeletions()
            #expect(try rig.api.documents("services").allSatisfy { $0["deletion"] != nil })
            try age("deletion.at", in: "services", rig)
            try rig.require(in: collection) { $0.append("never", bool: true) }
            for _ in 0..<2 { await door.finishDeletions() }
            #expect(told.withLock(\.count) == 1)
            try rig.require(in: collection)
            for _ in 0..<2 { await door.finishDeletions() }
            #expect(told.withLock(\.count) == 1)
            for collection in ["memberships", "service_keys", "webhook_endpoints"] {
                let left = try rig.api.documents(collection)
                #expect(!left.isEmpty && left.allSatisfy { $0["expires_at"] != nil }, "\(collection)")
            }
            #expect(try rig.api.documents("services").allSatisfy { $0["deletion"] == nil })
            #expect(try audit("service.delete", rig) == 1)
            let events = try rig.api.documents("account_events").filter { $0["type"]?.string == "service" }
            // Each of them once, however often it was tried.
            #expect(try events.compactMap { $0["account"]?.string }.sorted() == [rig.account, await eve(rig)].sorted())
        }
    }

    @Test func aServiceThatIsDeletedIsToldOnce() async throws {
        try await NoticeRig.run { rig in
            let answer = try await rig.people.ask("DELETE", "/v1/services/\(rig.service)", token: rig.ada.access)
            #expect(answer.status == 204)
            #expect(try rig.api.documents("services").allSatisfy { $0["deletion"] == nil && $0["deleted_at"] != nil })
            #expect(try audit("service.delete", rig) == 1)
            #expect(!rig.api.lines().contains { $0.contains("api.deletionHeldUp") })
        }
    }

    /// What the audit refuses holds, and is told later; once, by whoever does it.
    @Test(arguments: ["removal", "transfer", "transfer to an owner", "role", "leaving"]) func aChangeOfAMemberIsTold(
        kind: String
    ) async throws {
        try await NoticeRig.run { rig in
            let (path, eve) = ("/v1/services/\(rig.service)", try await eve(rig))
            try rig.join(eve, as: kind == "transfer to an owner" ? .owner : .member)
            let (action, subject): (String, String?) =
                switch kind {
                case "removal": ("member.remove", "You were taken out of a service")
                case "transfer", "transfer to an owner": ("service.transfer", "A service was given to you")
                case "role": ("member.change", nil)
                default: ("member.leave", nil)
                }
            try rig.require(in: "audit") { $0.append("never", bool: true) }
            let (ada, own) = (rig.ada.access, rig.eve.access)
            let answer =
                switch kind {
                case "removal": try await rig.people.ask("DELETE", "\(path)/members/\(eve)", token: ada)
                case "transfer", "transfer to an owner":
                    try await rig.people.ask("POST", "\(path)/transfer", ["account": eve], token: ada)
                case "role":
                    try await rig.people.ask("PUT", "\(path)/members/\(eve)", ["role": "manager"], token: ada)
                default: try await rig.people.ask("DELETE", "\(path)/membership", token: own)
                }
            #expect(answer.status < 300)
            let line = try #require(rig.api.lines().first { $0.contains("api.untold") })
            #expect(line.contains(rig.service))
            try rig.require(in: "audit")
            let door = try rig.door()
            defer { door.stop() }
            await door.tellOfMemberships()
            #expect(try audit(action, rig) == 0)
            let left = try #require(try rig.api.documents("memberships").first { $0["news"] != nil })
            // No TTL index takes it away before it is told.
            #expect(left["expires_at"]?.date.map { $0 > WallClock.milliseconds() + 86_400_000 } ?? true)
            try age("news.at", in: "memberships", of: "news.$[].at", rig)
            for _ in 0..<2 { await door.tellOfMemberships() }
            #expect(try audit(action, rig) == 1)
            let events = try rig.api.documents("account_events").filter { $0["type"]?.string == "membership" }
            #expect(events.count { $0["account"]?.string == eve && $0["data"]?.string?.contains(eve) == true } == 1)
            if let subject { #expect(try rig.people.mails().count { $0.subject == subject } == 1) }
            #expect(try rig.api.documents("memberships").allSatisfy { $0["news"]?.elements?.isEmpty ?? true })
            let gone = try rig.api.documents("memberships").compactMap { $0["expires_at"]?.date }
            #expect(gone.count == (["removal", "leaving"].contains(kind) ? 1 : 0))
            #expect(gone.allSatisfy { $0 <= WallClock.milliseconds() })
        }
    }

    /// What is told of one that has ended, before or after an older change of it, is no membership any more.
    @Test func oneThatHasEndedIsNoneWhileItIsUntold() async throws {
        try await NoticeRig.run { rig in
            let (path, eve) = ("/v1/services/\(rig.service)", try await eve(rig))
            try rig.join(eve, as: .member)
            let member = "\(path)/members/\(eve)"
            func refuse(_ action: String?) throws {
                try rig.require(in: "audit") { validator in
                    if let action { validator.append("action") { $0.append("$ne", string: action) } }
                }
            }
            try refuse("member.change")
            #expect(try await rig.people.ask("PUT", member, ["role": "owner"], token: rig.ada.access).status == 200)
            #expect(try await rig.people.ask("DELETE", member, token: rig.ada.access).status == 204)
            try refuse(nil)
            try age("news.at", in: "memberships", of: "news.$[].at", rig)
            let door = try rig.door()
            defer { door.stop() }
            await door.tellOfMemberships()
            #expect(try audit("member.change", rig) == 1 && audit("member.remove", rig) == 1)
            let ended = try #require(try rig.api.documents("memberships").first { $0["account"]?.string == eve })
            let end = try #require(ended["expires_at"]?.date)
            #expect(ended["news"]?.elements?.isEmpty == true && end <= WallClock.milliseconds())
            // They come again, and go again: neither is told yet when they delete their account.
            try rig.join(eve, as: .member)
            try refuse("member.leave")
            #expect(try await rig.people.ask("DELETE", "\(path)/membership", token: rig.eve.access).status == 204)
            let body = ["password": "correct horse"]
            #expect(try await rig.people.ask("DELETE", "/v1/account", body, token: rig.eve.access).status == 204)
            try refuse(nil)
            try age("news.at", in: "memberships", of: "news.$[].at", rig)
            await door.tellOfMemberships()
            #expect(try audit("member.leave", rig) == 1)
            let left = try rig.api.documents("account_events").filter { event in
                event["type"]?.string == "membership" && event["account"]?.string == rig.account
            }
            // Changed, removed, left.
            #expect(left.count == 3, "\(left.count)")
        }
    }
}
