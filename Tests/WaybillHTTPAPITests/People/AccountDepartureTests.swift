import Testing
import WaybillAccounts
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI

/// Deletions of accounts that are refused, and that somebody else ends, over real sockets.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct AccountDepartureTests {
    private static let path = "/v1/account/devices/5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"
    private static let subject = "Your account was deleted"

    private func registerPhone(_ rig: NoticeRig) async throws {
        let body = ["token": NoticeRig.token]
        #expect(try await rig.people.ask("PUT", Self.path, body, token: rig.ada.access).status == 204)
    }

    private func deletions(_ rig: NoticeRig) throws -> [String?] {
        try rig.api.documents("audit").filter { $0["action"]?.string == "account.delete" }.map { $0["request"]?.string }
    }

    private func expectAllIsThere(_ rig: NoticeRig) async throws {
        #expect(try await rig.people.ask("GET", "/v1/account", token: rig.ada.access).status == 200)
        #expect(try rig.api.documents("devices").allSatisfy { $0["enabled"] == .bool(true) })
        #expect(try rig.api.documents("device_links").allSatisfy { $0["enabled"] == .bool(true) })
        #expect(try rig.people.mails().allSatisfy { $0.subject != Self.subject })
        #expect(try rig.api.documents("accounts").allSatisfy { $0["deletion"] == nil })
        #expect(try deletions(rig).isEmpty)
    }

    @Test func oneThatIsRefusedChangesNothing() async throws {
        try await NoticeRig.run { rig in
            try await registerPhone(rig)
            let own = try await rig.people.ask("GET", "/v1/account", token: rig.eve.access)
            try rig.join(try #require(own.json["id"] as? String), as: .member)
            let body = ["password": "correct horse"]
            #expect(try await rig.people.ask("DELETE", "/v1/account", body, token: rig.ada.access).status == 409)
            try await expectAllIsThere(rig)
        }
    }

    /// Whoever has decided it may have ended before anything was done.
    @Test func oneThatIsDecidedIsEndedByAnybody() async throws {
        try await NoticeRig.run { rig in
            try await registerPhone(rig)
            let door = try rig.door()
            defer { door.stop() }
            let account = rig.account
            let decided = try await door.people.ask(until: MonotonicTime.now().advanced(by: .seconds(20))) {
                client throws(MongoError) in
                try? AccountDeletion(client: client, database: door.database, rules: door.rules)
                    .decide(account, request: "req_of_the_dead", now: WallClock.milliseconds() - 61_000)
            }
            #expect(decided != nil)
            #expect(try await rig.people.ask("GET", "/v1/account", token: rig.ada.access).status == 401)
            #expect(try await rig.people.logIn().status == 401)
            // Twice, as two processes would.
            for _ in 0..<2 { await door.finishDeletions() }
            #expect(try rig.api.documents("devices").allSatisfy { $0["enabled"] == .bool(false) })
            #expect(try rig.people.mails().count { $0.subject == Self.subject } == 1)
            #expect(try deletions(rig) == ["req_of_the_dead"])
            let left = try rig.api.documents("accounts").first { $0["_id"]?.string == account }
            #expect(left?["username"] == nil && left?["email"] == nil)
            #expect(try rig.api.documents("services").allSatisfy { $0["deleted_at"] != nil })
            // Who registers a phone by what is left of a session is told so.
            let body = ["token": NoticeRig.token]
            #expect(try await rig.people.ask("PUT", Self.path, body, token: rig.ada.access).status == 401)
        }
    }

    /// Has the store refuse what the audit says of an account, as one would that has no room; `nil`: of none.
    private func refuseAudit(of account: String?, _ rig: NoticeRig) throws {
        try rig.require(in: "audit") { validator in
            if let account { validator.append("account") { $0.append("$ne", string: account) } }
        }
    }

    /// Says that deletions were asked for before anybody works on them.
    private func age(_ account: String, _ rig: NoticeRig) throws {
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append("deletion.asked_at", date: WallClock.milliseconds() - 61_000) }
        }
        try rig.api.pool.withClient { client throws(MongoError) in
            let accounts = client.collection(database: rig.api.database, name: "accounts")
            _ = try accounts.findOneAndUpdate(BSONDocument { $0.append("_id", string: account) }, update: update)
        }
    }

    private func decide(_ account: String, _ door: FrontDoor, _ request: String = "req_of_the_dead") async throws
        -> DepartingAccount
    {
        let deadline = MonotonicTime.now().advanced(by: .seconds(20))
        let decided = try await door.people.ask(until: deadline) { client throws(MongoError) in
            try? AccountDeletion(client: client, database: door.database, rules: door.rules)
                .decide(account, request: request, now: WallClock.milliseconds() - 61_000)
        }
        return try #require(decided)
    }

    /// From then on there is no such account, and asking again would be answered 401.
    @Test func oneThatIsDecidedIsNotRefused() async throws {
        try await NoticeRig.run { rig in
            try refuseAudit(of: rig.account, rig)
            let body = ["password": "correct horse"]
            #expect(try await rig.people.ask("DELETE", "/v1/account", body, token: rig.ada.access).status == 204)
            #expect(try await rig.people.ask("GET", "/v1/account", token: rig.ada.access).status == 401)
            let line = try #require(rig.api.lines().first { $0.contains("api.deletionHeldUp") })
            #expect(line.contains(rig.account) && !line.contains("ada@"))
            #expect(try rig.api.documents("accounts").contains { $0["username"]?.string == "Ada.L" })
            try refuseAudit(of: nil, rig)
            try age(rig.account, rig)
            let door = try rig.door()
            defer { door.stop() }
            await door.finishDeletions()
            #expect(try rig.api.documents("accounts").allSatisfy { $0["username"]?.string != "Ada.L" })
            #expect(try rig.people.mails().count { $0.subject == Self.subject } == 1)
        }
    }

    /// One that cannot be ended keeps nobody else, however often it comes first, and is told once.
    @Test func oneThatCannotBeEndedHoldsUpNoOther() async throws {
        try await NoticeRig.run { rig in
            let told = Guarded<[APIEvent]>([])
            let door = try rig.door { event in told.withLock { $0.append(event) } }
            defer { door.stop() }
            let eve = try #require(
                try await rig.people.ask("GET", "/v1/account", token: rig.eve.access).json["id"] as? String
            )
            try refuseAudit(of: rig.account, rig)
            _ = try await decide(rig.account, door, "req_1")
            _ = try await decide(eve, door, "req_2")
            for _ in 0..<2 { await door.finishDeletions() }
            #expect(try deletions(rig) == ["req_2"])
            #expect(told.withLock(\.count) == 1)
            guard case .deletionHeldUp(let what, let others, _) = told.withLock({ $0.first }) else {
                Issue.record("nobody was told")
                return
            }
            #expect(what == .account(rig.account) && others == 0)
            try refuseAudit(of: nil, rig)
            await door.finishDeletions()
            #expect(try deletions(rig).count == 2)
        }
    }

    /// Whoever has done all but the last step: what is told and written of it is the same once more.
    @Test func whatIsDoneTwiceIsToldOnce() async throws {
        try await NoticeRig.run { rig in
            let door = try rig.door()
            defer { door.stop() }
            let eve = try #require(
                try await rig.people.ask("GET", "/v1/account", token: rig.eve.access).json["id"] as? String
            )
            try rig.join(eve, as: .member)
            let hook: [String: Any] = ["url": "https://hooks.example.com/ada", "events": ["member.left"]]
            let path = "/v1/services/\(rig.service)/webhooks"
            #expect(try await rig.people.ask("POST", path, hook, token: rig.ada.access).status == 201)
            let departing = try await decide(eve, door)
            for _ in 0..<3 {
                let deadline = MonotonicTime.now().advanced(by: .seconds(20))
                try await door.people.ask(until: deadline) { client throws(MongoError) in
                    try AccountDeparture(door: door, client: client, now: WallClock.milliseconds()).finish(departing)
                }
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(try deletions(rig) == ["req_of_the_dead"])
            #expect(try rig.api.documents("webhook_deliveries").map { $0["type"]?.string } == ["member.left"])
        }
    }

    /// And what nobody has decided is as if nobody had asked for it.
    @Test func oneThatIsNotDecidedIsTakenBack() async throws {
        try await NoticeRig.run { rig in
            try await registerPhone(rig)
            let door = try rig.door()
            defer { door.stop() }
            try rig.api.pool.withClient { client throws(MongoError) in
                let update = BSONDocument { writer in
                    writer.append("$set") { set in
                        set.append("deletion") { deletion in
                            deletion.append("_id", string: "of the dead")
                            deletion.append("request", string: "req_of_the_dead")
                            deletion.append("asked_at", date: WallClock.milliseconds() - 61_000)
                        }
                    }
                }
                let accounts = client.collection(database: rig.api.database, name: "accounts")
                _ = try accounts.findOneAndUpdate(
                    BSONDocument { $0.append("_id", string: rig.account) },
                    update: update
                )
            }
            await door.finishDeletions()
            try await expectAllIsThere(rig)
            let body = ["password": "correct horse"]
            #expect(try await rig.people.ask("DELETE", "/v1/account", body, token: rig.ada.access).status == 204)
        }
    }
}
