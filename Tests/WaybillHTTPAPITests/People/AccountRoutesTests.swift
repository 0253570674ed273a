import Foundation
import HTTPTypes
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

/// Accounts and sessions over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct AccountRoutesTests {
    @Test func fromSigningUpToLoggingOut() async throws {
        try await PeopleRig.run { rig in
            let answer = try await rig.signUp()
            #expect(answer.status == 202)
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(try await rig.logIn().status == 403)
            let token = try #require(try rig.mails().first?.token)
            for (password, status) in [("wrong", 403), ("correct horse", 204), ("correct horse", 409)] {
                let members = ["token": token, "password": password]
                #expect(try await rig.ask("PUT", "/v1/account/confirmation", members).status == status)
            }
            #expect(try await rig.ask("PUT", "/v1/account/confirmation", ["token": token]).status == 409)
            let began = try await rig.logIn("ADA@example.com", device: "phone")
            #expect(began.status == 201)
            #expect(began.json["token_type"] as? String == "Bearer")
            #expect(began.json["expires_in"] as? Int == 600)
            let session = try PeopleRig.Session(began)
            let own = try await rig.ask("GET", "/v1/account", token: session.access)
            #expect(own.status == 200)
            #expect(own.json["username"] as? String == "Ada.L")
            #expect(own.json["email"] as? String == "ada@example.com")
            #expect(own.headers["ratelimit"] != nil)
            let ended = try await rig.ask("DELETE", "/v1/account/sessions/current", token: session.access)
            #expect(ended.status == 204)
            #expect(try await rig.ask("GET", "/v1/account", token: session.access).status == 401)
            #expect(try await rig.renew(session.refresh).status == 401)
        }
    }

    /// The answer says nothing of what there is: the mail does.
    @Test func signingUpIsAnsweredAlike() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let answers = [
                try await rig.signUp("other", "other@example.com"), try await rig.signUp("ADA.L", "eve@example.com"),
                try await rig.signUp("third", "ADA@example.com"), try await rig.signUp(),
            ]
            #expect(Set(answers.map(\.status)) == [202])
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(try rig.server.documents("accounts").count == 2)
            let subjects = Dictionary(grouping: try rig.mails(), by: \.recipient).mapValues { $0.map(\.subject) }
            #expect(subjects["other@example.com"] == ["Confirm your e-mail address"])
            #expect(subjects["eve@example.com"] == ["Choose another username"])
            #expect(
                subjects["ada@example.com"] == [
                    "Confirm your e-mail address", "You have an account already",
                ]
            )
            // To a stranger's address one mail an hour goes, however often somebody tries.
            _ = try await rig.signUp("ada.l", "EVE@example.com")
            #expect(try rig.mails().count { $0.subject == "Choose another username" } == 1)
        }
    }

    @Test(arguments: ["/v1/account/confirmation", "/v1/account/password-reset"])
    func whatAsksForAMailIsAnsweredAlike(path: String) async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            _ = try await rig.signUp("waits", "waits@example.com")
            var texts: Set<String> = []
            for email in ["ada@example.com", "ADA@example.com", "waits@example.com", "nobody@example.com"] {
                let answer = try await rig.ask("POST", path, ["email": email])
                #expect(answer.status == 202)
                texts.insert(answer.text)
            }
            #expect(texts.count == 1)
            #expect(try rig.mails().allSatisfy { $0.recipient != "nobody@example.com" })
        }
    }

    /// Nobody, somebody with another password, and somebody who waits are one answer.
    @Test func loggingInIsAnsweredAlike() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            // No name may be made of hexadecimal digits alone: the request's id in a log line could then hold it.
            let names = ["ada.l", "ada@example.com", "nobody", "nobody@example.com", "no name at all"]
            var details: Set<String> = []
            for _ in 0..<7 {
                for name in names {
                    let answer = try await rig.logIn(name, "wrong")
                    #expect(answer.status == 401)
                    #expect(answer.headers["retry-after"] == nil)
                    details.insert(try #require(answer.json["detail"] as? String))
                }
            }
            // The right one has to wait, too; on a slow machine the wait may be over by now, so that it is made longer.
            try rig.server.pool.withClient { client throws(MongoError) in
                let update = BSONDocument { writer in
                    writer.append("$set") { $0.append("places.$[].next_try_at", date: 4_000_000_000_000) }
                }
                let bulk = client.collection(database: rig.server.database, name: "accounts").bulk()
                try bulk.updateMany(filter: .empty, update: update)
                try bulk.execute().requireDurable("write to accounts")
            }
            let right = try await rig.logIn()
            #expect(right.status == 401)
            details.insert(try #require(right.json["detail"] as? String))
            #expect(details.count == 1)
            // The log tells them apart, by the request and without a name.
            let lines = rig.server.lines().filter { $0.contains("api.passwordRefused") }
            #expect(lines.count == 36)
            for name in names {
                #expect(!lines.contains { $0.contains(name) }, "\(name)")
            }
            for (word, fewest) in [("unknown_name", 21), ("wrong_password", 1), ("delayed", 1)] {
                #expect(lines.count { $0.contains(word) } >= fewest, "\(word)")
            }
        }
    }

    @Test func aReplayedTokenEndsItsSessionAndIsCounted() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let (first, other) = (try await rig.session(), try await rig.session())
            let second = try PeopleRig.Session(try await rig.renew(first.refresh))
            // Lost on its way, and asked again: the same.
            #expect(try PeopleRig.Session(try await rig.renew(first.refresh)).refresh == second.refresh)
            let third = try PeopleRig.Session(try await rig.renew(second.refresh))
            #expect(try await rig.renew(first.refresh).status == 401)
            #expect(try await rig.renew(third.refresh).status == 401)
            #expect(try await rig.ask("GET", "/v1/account", token: third.access).status == 401)
            #expect(try await rig.ask("GET", "/v1/account", token: other.access).status == 200)
            let lines = rig.server.lines().filter { $0.contains("api.refreshReplayed") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(first.id) == true)
            // What was asked again in time, and what had ended already, is none.
            #expect(rig.server.counted("waybill_api_replayed_refresh_tokens_total") == 1)
        }
    }

    @Test func aNewPasswordEndsAllOtherSessions() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let (own, other) = (try await rig.session(), try await rig.session())
            let old = try await rig.ask("POST", "/account/login", ["username": "ada.l", "password": "correct horse"])
            let former = try #require((old.json["payload"] as? [String: String])?["refreshToken"])
            func change(_ password: String, _ new: String, _ token: String) async throws -> APIRig.Answer {
                try await rig.ask(
                    "PUT",
                    "/v1/account/password",
                    ["password": password, "new_password": new],
                    token: token
                )
            }
            #expect(try await change("wrong", "battery staple", own.access).status == 403)
            #expect(try await change("correct horse", "short", own.access).status == 400)
            #expect(try await change("correct horse", "password123", own.access).status == 400)
            let changed = try await change("correct horse", "battery staple", own.access)
            #expect(changed.status == 200)
            let carried = try PeopleRig.Session(changed)
            #expect(carried.id == own.id)
            #expect(try await rig.ask("GET", "/v1/account", token: carried.access).status == 200)
            #expect(try await rig.renew(carried.refresh).status == 200)
            #expect(try await rig.renew(other.refresh).status == 401)
            #expect(try await rig.ask("GET", "/v1/account", token: own.access).status == 401)
            #expect(try await rig.ask("POST", "/account/access", ["refreshToken": former]).status == 401)
            #expect(try await rig.logIn("ada.l", "battery staple").status == 201)
            #expect(try rig.mails().last?.subject == "Your password was changed")
        }
    }

    @Test func aPasswordIsResetByMail() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            let path = "/v1/account/password-reset"
            _ = try await rig.ask("POST", path, ["email": "ADA@example.com"])
            let mail = try #require(try rig.mails().last)
            #expect(mail.subject == "Choose a new password")
            let token = try #require(mail.token)
            // Looking at the link changes nothing.
            let page = try await rig.server.ask("/account/reset/\(token)")
            #expect(page.status == 200)
            #expect(!page.text.contains(token))
            #expect(page.headers["referrer-policy"] == "no-referrer")
            #expect(try await rig.ask("PUT", path, ["token": token, "password": "short"]).status == 400)
            #expect(try await rig.ask("PUT", path, ["token": "x", "password": "battery staple"]).status == 400)
            #expect(try await rig.ask("PUT", path, ["token": token, "password": "battery staple"]).status == 204)
            #expect(try await rig.ask("PUT", path, ["token": token, "password": "third password"]).status == 410)
            #expect(try await rig.renew(session.refresh).status == 401)
            #expect(try await rig.logIn("ada.l", "battery staple").status == 201)
        }
    }

    /// Every route that is for people takes their access token, and nothing else.
    @Test func whoHasNotLoggedInSeesNothing() async throws {
        try await PeopleRig.run { rig in
            try await rig.person()
            let session = try await rig.session()
            let old = try await rig.ask("POST", "/account/login", ["username": "ada.l", "password": "correct horse"])
            let foreign = try #require((old.json["payload"] as? [String: String])?["accessToken"])
            let key = try rig.server.key(.steward).text
            let routes = try #require(rig.server.server.endpoints.people).endpoints.filter {
                if case .person = $0.answer { true } else { false }
            }
            #expect(routes.count >= 4)
            for route in routes {
                let path = route.path.replacing("{session}", with: session.id)
                for token in [nil, "x", session.refresh, foreign, key, session.access + "x"] {
                    let answer = try await rig.ask(
                        route.method.rawValue,
                        path,
                        route.members.isEmpty ? nil : [:],
                        token: token
                    )
                    // Without a token, at this pace, also by 429.
                    let isMissing = token == nil && answer.status == 429
                    #expect(answer.status == 401 || isMissing, "\(route.method) \(route.path)")
                    #expect(answer.headers["www-authenticate"] != nil)
                }
            }
            #expect(try await rig.ask("GET", "/v1/account", token: session.access).status == 200)
            // Nor do operators' routes take it.
            #expect([401, 429].contains(try await rig.ask("GET", "/v1/deliveries", token: session.access).status))
        }
    }

    @Test func whatHasNotTheFormIsRefused() async throws {
        let rows: [(method: String, path: String, members: [String: String])] = [
            ("POST", "/v1/account", ["username": "abc", "email": "a@example.com", "password": "correct horse"]),
            ("POST", "/v1/account", ["username": "free", "email": "test123", "password": "correct horse"]),
            ("POST", "/v1/account", ["username": "free", "email": "a@example.com", "password": "seven77"]),
            ("POST", "/v1/account", ["username": "free", "email": "a@example.com", "password": "Password1"]),
            ("POST", "/v1/account", ["username": "free-name", "email": "a@example.com", "password": "FREE-name"]),
            (
                "POST", "/v1/account",
                ["username": "free", "email": "a@example.com\r\nBcc: b@c.de", "password": "correct horse"]
            ),
            ("POST", "/v1/account", ["username": "free", "email": "a@example.com"]),
            ("POST", "/v1/account/sessions", ["username": "free"]),
            ("POST", "/v1/account/sessions", ["username": "free", "password": "x", "name": "a\u{7}b"]),
            ("POST", "/v1/account/sessions", ["username": "free", "password": "x", "other": "y"]),
            ("POST", "/v1/account/sessions/refresh", [:]), ("PUT", "/v1/account/confirmation", [:]),
            ("PUT", "/v1/account/confirmation", ["token": "x"]),
            ("PUT", "/v1/account/confirmation", ["password": "x"]),
            ("PUT", "/v1/account/confirmation", ["token": "x", "password": "x"]),
            ("POST", "/v1/account/password-reset", ["email": "x"]),
        ]
        try await PeopleRig.run { rig in
            for (method, path, members) in rows {
                let answer = try await rig.ask(method, path, members)
                #expect(answer.status == 400, "\(method) \(path) \(members)")
                #expect(answer.type == "application/problem+json")
                let documents = try rig.server.documents("accounts") + rig.server.documents("outbox_mail")
                #expect(documents.isEmpty)
            }
        }
    }

    /// Of a form with several mistakes each is told, where it is, and none of what was typed.
    @Test func allThatIsWrongIsToldAtOnce() async throws {
        let rows: [(path: String, members: [String: Any], pointers: [String])] = [
            (
                "/v1/account", ["username": "a b", "email": "test123", "password": "Password1"],
                ["#/username", "#/email", "#/password"]
            ),
            ("/v1/account", ["username": "free", "email": 7, "password": true], ["#/email", "#/password"]),
            ("/v1/account", ["username": "free", "password": "correct horse"], ["#/email"]),
            ("/v1/account/sessions", [:], ["#/username", "#/password"]),
            (
                "/v1/account/sessions", ["username": "free", "name": "a\u{7}b", "refresh_in": "jar"],
                ["#/password", "#/name", "#/refresh_in"]
            ),
        ]
        try await PeopleRig.run { rig in
            for (path, members, pointers) in rows {
                let answer = try await rig.ask("POST", path, members)
                let errors = try #require(answer.json["errors"] as? [[String: String]], "\(members)")
                #expect(answer.status == 400)
                // A body is read in the order in which it comes, which is another one each time.
                #expect(Set(errors.compactMap { $0["pointer"] }) == Set(pointers), "\(members)")
                let detail = try #require(answer.json["detail"] as? String)
                for error in errors { #expect(detail.contains(error["detail"] ?? "nothing")) }
                for typed in members.values.compactMap({ $0 as? String }) where typed != "free" {
                    #expect(!answer.text.contains(typed))
                }
            }
            // What has nothing to do with a member has none.
            #expect(try await rig.ask("PUT", "/v1/account/confirmation", ["token": "x"]).json["errors"] == nil)
        }
    }

    /// The thesis' API, whose apps may say anything, takes it.
    @Test func aBodyInAnotherCharsetIsRefused() async throws {
        try await PeopleRig.run { rig in
            let latin = ["Content-Type": "application/json; charset=ISO-8859-1"]
            let body = Data(#"{"email": "ada@example.com"}"#.utf8)
            let path = "/v1/account/confirmation"
            let refused = try await rig.server.ask(path, method: "POST", headers: latin, body: body)
            #expect(refused.status == 415 && refused.text.contains("the charset iso-8859-1"), "\(refused.text)")
            let gzip = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
            let packed = try await rig.server.ask(path, method: "POST", headers: gzip, body: body)
            #expect(packed.status == 415 && packed.headers["accept-encoding"] == "identity", "\(packed.text)")
            let json = ["Content-Type": "application/json; charset=UTF-8", "Content-Encoding": "identity"]
            #expect(try await rig.server.ask(path, method: "POST", headers: json, body: body).status == 202)
            let login = Data(#"{"username": "ada.l", "password": "correct horse"}"#.utf8)
            let thesis = try await rig.server.ask("/account/login", method: "POST", headers: latin, body: login)
            #expect(thesis.status == 200, "\(thesis.text)")
        }
    }

    @Test func strangersAskSoOftenAndNoMore() async throws {
        try await PeopleRig.run(.init(signUpsPerHour: 2, logInsPerMinute: 3, checksPerMinute: 4)) { rig in
            #expect(try await rig.signUp().status == 202)
            // Both APIs count together.
            let other = ["username": "other", "email": "other@example.com", "password": "correct horse"]
            #expect(try await rig.ask("POST", "/account/register", other).status == 200)
            let third = try await rig.ask("POST", "/v1/account/confirmation", ["email": "ada@example.com"])
            #expect(third.status == 429)
            #expect(third.headers["retry-after"] == "1800")
            for _ in 0..<3 { #expect(try await rig.logIn("nobody", "x").status == 401) }
            #expect(try await rig.logIn("nobody", "x").status == 429)
            for _ in 0..<8 { #expect(try await rig.renew("x").status == 401) }
            #expect(try await rig.renew("x").status == 429)
        }
    }

    @Test func nothingSecretOrPersonalIsLogged() async throws {
        try await PeopleRig.run { rig in
            _ = try await rig.signUp("lovelace", "lovelace@example.com", "hunter2hunter2")
            let token = try #require(try rig.mails().first?.token)
            _ = try await rig.ask("PUT", "/v1/account/confirmation", ["token": token])
            let session = try await rig.session("lovelace", "hunter2hunter2")
            _ = try await rig.renew(session.refresh)
            _ = try await rig.ask("POST", "/v1/account/password-reset", ["email": "lovelace@example.com"])
            let link = try #require(try rig.mails().last?.token)
            _ = try await rig.server.ask("/account/reset/\(link)")
            let text = rig.server.lines().joined(separator: "\n")
            #expect(text.contains("/v1/account/sessions/refresh"))
            #expect(text.contains("/account/reset/{token}"))
            for secret in ["lovelace", "hunter2", token, link, session.access, session.refresh] {
                #expect(!text.contains(secret))
            }
        }
    }
}
