import Foundation
import Testing
import WaybillDeviceRegistry
import WaybillMongo
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

/// Changing one's address, and what is kept of a person, over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct OwnAccountTests {
    private func change(
        _ rig: PeopleRig,
        _ email: String,
        _ password: String,
        _ session: PeopleRig.Session
    ) async throws -> APIRig.Answer {
        try await rig.ask("PUT", "/v1/account/email", ["email": email, "password": password], token: session.access)
    }

    private func use(_ rig: PeopleRig, _ what: String, _ token: String) async throws -> Int {
        try await rig.ask("PUT", "/v1/account/email/\(what)", ["token": token]).status
    }

    @Test func anotherAddressAndBack() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            #expect(try await change(rig, "new@example.com", "wrong", session).status == 403)
            #expect(try await change(rig, "new@example.com", "correct horse", session).status == 202)
            #expect(try await change(rig, "new@example.com", "correct horse", session).status == 429)
            let token = try #require(try rig.mails().last { $0.recipient == "new@example.com" }?.token)
            #expect(try await rig.server.ask("/account/new-address/\(token)").status == 200)
            #expect(try await use(rig, "reversal", token) == 400)
            #expect(try await use(rig, "confirmation", token) == 204)
            #expect(try await use(rig, "confirmation", token) == 410)
            let own = try await rig.ask("GET", "/v1/account", token: session.access)
            #expect(own.json["email"] as? String == "new@example.com")
            let notice = try #require(try rig.mails().last { $0.recipient == "ada@example.com" })
            #expect(notice.subject == "Your e-mail address was changed")
            let back = try #require(notice.token)
            #expect(try await rig.server.ask("/account/former-address/\(back)").status == 200)
            #expect(try await use(rig, "reversal", back) == 204)
            #expect(try await use(rig, "reversal", back) == 410)
            // Nobody is logged in, nobody knows the password, and the owner has a link for a new one.
            #expect(try await rig.renew(session.refresh).status == 401)
            #expect(try await rig.logIn().status == 401)
            let reset = try #require(try rig.mails().last)
            #expect(reset.recipient == "ada@example.com")
            let chosen = ["token": try #require(reset.token), "password": "battery staple"]
            #expect(try await rig.ask("PUT", "/v1/account/password-reset", chosen).status == 204)
            #expect(try await rig.logIn("ada@example.com", "battery staple").status == 201)
        }
    }

    /// The answer does not say that somebody has the address: their mail does.
    @Test func anAddressThatSomebodyHasIsAnsweredAlike() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            try await rig.person("eve.e", "eve@example.com")
            let (ada, eve) = (try await rig.session(), try await rig.session("eve.e"))
            let taken = try await change(rig, "EVE@example.com", "correct horse", ada)
            let free = try await change(rig, "free@example.com", "correct horse", eve)
            #expect(taken.status == 202)
            #expect(free.status == 202)
            #expect(taken.text == free.text)
            let mails = try rig.mails().filter { $0.recipient == "eve@example.com" }
            #expect(mails.last?.subject == "Your e-mail address has an account already")
            #expect(mails.last?.token == nil)
        }
    }

    /// Whoever signs up with somebody's future address, and does not read there, stops nothing.
    @Test func anAddressThatNobodyHasConfirmedIsFree() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            #expect(try await rig.signUp("eve.e", "new@example.com").status == 202)
            #expect(try await change(rig, "new@example.com", "correct horse", session).status == 202)
            let mail = try #require(try rig.mails().last { $0.recipient == "new@example.com" })
            #expect(mail.subject != "Your e-mail address has an account already")
            #expect(try await use(rig, "confirmation", try #require(mail.token)) == 204)
            let own = try await rig.ask("GET", "/v1/account", token: session.access)
            #expect(own.json["email"] as? String == "new@example.com")
        }
    }

    /// Another password ends the pause after a mail; the account's own limits stay.
    @Test func anAccountHasSoManyMailsSent() async throws {
        try await PeopleRig.run(.init(signUpsPerHour: 3, logInsPerMinute: 1000, checksPerMinute: 1000)) { rig in
            try await rig.person()
            var session = try await rig.session()
            let passwords = (0..<4).map { "battery staple \($0)" }
            var former = "correct horse"
            var statuses: [Int] = []
            for (number, password) in passwords.enumerated() {
                statuses.append(try await change(rig, "a\(number)@example.org", former, session).status)
                let members = ["password": former, "new_password": password]
                let changed = try await rig.ask("PUT", "/v1/account/password", members, token: session.access)
                #expect(changed.status == 200)
                session = try PeopleRig.Session(changed)
                former = password
            }
            #expect(statuses == [202, 202, 202, 429])
        }
    }

    @Test func anAccountChangesItsPasswordSoOften() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            func change(_ former: String, _ password: String) async throws -> Int {
                let members = ["password": former, "new_password": password]
                return try await rig.ask("PUT", "/v1/account/password", members, token: session.access).status
            }
            #expect(try await change("correct horse", "correct horse") == 400)
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await change("wrong", "battery staple")) }
            #expect(statuses.last == 429)
            #expect(!statuses.contains(200))
            // What is refused says when to come again: in six minutes, and not for a wrong password.
            let members = ["password": "correct horse", "new_password": "battery staple"]
            let refused = try await rig.ask("PUT", "/v1/account/password", members, token: session.access)
            #expect(refused.status == 429)
            #expect(refused.headers["retry-after"] == "360")
        }
    }

    /// Nothing has changed, so nobody is told that it has.
    @Test func anAddressThatSomebodyHasByNowChangesNothing() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            #expect(try await change(rig, "eve@example.com", "correct horse", session).status == 202)
            let token = try #require(try rig.mails().last { $0.recipient == "eve@example.com" }?.token)
            try await rig.person("eve.e", "eve@example.com")
            #expect(try await use(rig, "confirmation", token) == 409)
            let own = try await rig.ask("GET", "/v1/account", token: session.access)
            #expect(own.json["email"] as? String == "ada@example.com")
            let notices = try rig.server.documents("outbox_mail").filter {
                $0["_id"]?.string?.hasPrefix("address-changed-") == true
            }
            #expect(notices.map { $0["state"]?.string } == ["failed"])
            #expect(notices.allSatisfy { $0["text"] == nil })
        }
    }

    @Test func whatIsKeptIsToldToItsPersonAlone() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            try await rig.person("eve.e", "eve@example.com")
            let (ada, eve) = (try await rig.session(), try await rig.session("eve.e"))
            let account = try #require(
                try await rig.ask("GET", "/v1/account", token: ada.access).json["id"] as? String
            )
            try rig.server.pool.withClient { client throws(MongoError) in
                _ = try DeviceLinks(client: client, database: rig.server.database)
                    .logIn(user: account, device: "phone-1", app: "com.example.app", at: 1)
            }
            let night = ["from": "22:00", "to": "07:30", "zone": "Europe/Prague"]
            #expect(try await rig.ask("PUT", "/v1/account/quiet-hours", night, token: ada.access).status == 200)
            let own = try await rig.ask("GET", "/v1/account/export", token: ada.access)
            #expect(own.json["quiet_hours"] as? [String: String] == night)
            #expect(own.status == 200)
            #expect((own.json["account"] as? [String: Any])?["email"] as? String == "ada@example.com")
            #expect((own.json["sessions"] as? [[String: Any]])?.count == 1)
            let device = try #require((own.json["devices"] as? [[String: Any]])?.first)
            #expect(device["device"] as? String == "phone-1")
            let other = try await rig.ask("GET", "/v1/account/export", token: eve.access)
            for word in ["ada@", "Ada.L", "phone-1", account] { #expect(!other.text.contains(word)) }
        }
    }

    @Test func anAccountIsDeleted() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            try await rig.person("eve.e", "eve@example.com")
            let (ada, eve) = (try await rig.session(), try await rig.session("eve.e"))
            let wrong = try await rig.ask("DELETE", "/v1/account", ["password": "wrong"], token: ada.access)
            #expect(wrong.status == 403)
            let deleted = try await rig.ask("DELETE", "/v1/account", ["password": "correct horse"], token: ada.access)
            #expect(deleted.status == 204)
            #expect(try await rig.ask("GET", "/v1/account", token: ada.access).status == 401)
            #expect(try await rig.logIn().status == 401)
            #expect(try rig.mails().last { $0.recipient == "ada@example.com" }?.subject == "Your account was deleted")
            #expect(try await rig.ask("GET", "/v1/account", token: eve.access).status == 200)
            // That it was stays, and nothing that says of whom.
            let audit = try rig.server.documents("audit").filter { $0["action"]?.string == "account.delete" }
            #expect(audit.count == 1)
            #expect(audit.first?["account"]?.string?.hasPrefix("acc_") == true)
            #expect(audit.first?["how"]?.string == "DELETE /v1/account")
            let texts = (audit.first?.fields ?? []).filter { $0.key != "account" }.compactMap(\.value.string)
            #expect(!texts.isEmpty && !texts.contains { $0.lowercased().contains("ada.l") || $0.contains("ada@") })
            // The name and the address are free.
            try await rig.person()
            #expect(try await rig.logIn().status == 201)
        }
    }
}
