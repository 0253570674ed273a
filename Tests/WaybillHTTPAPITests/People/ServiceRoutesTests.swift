import Foundation
import HTTPTypes
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// Services, their keys and their people, over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct ServiceRoutesTests {
    /// Ada owns a service; Eve has an account and nothing to do with it.
    private struct Scene {
        let rig: PeopleRig
        let service: String
        let tokens: [String: String]
        let accounts: [String: String]

        var path: String { "/v1/services/\(service)" }

        func ask(
            _ who: String,
            _ method: String,
            _ path: String,
            _ members: [String: Any]? = nil
        ) async throws -> APIRig.Answer {
            try await rig.ask(method, path, members, token: tokens[who])
        }

        func token(_ invitation: APIRig.Answer) throws -> String {
            let link = try #require(invitation.json["link"] as? String)
            #expect(link.hasPrefix("https://push.example.com/app#invitation="))
            return try #require(link.split(separator: "=").last.map(String.init))
        }

        /// Has somebody invited by a link, and let in.
        func join(_ who: String, as role: String = "member") async throws {
            let made = try await ask("ada", "POST", "\(path)/invitations", ["role": role])
            #expect(made.status == 201)
            #expect(try await ask(who, "PUT", "/v1/invitations/\(token(made))").status == 200)
        }
    }

    private func run(_ people: [String] = ["ada", "eve"], _ body: (Scene) async throws -> Void) async throws {
        try await PeopleRig.run { rig in
            var (tokens, accounts): ([String: String], [String: String]) = ([:], [:])
            for name in people {
                try await rig.person("\(name).l", "\(name)@example.com")
                tokens[name] = try await rig.session("\(name).l").access
                let own = try await rig.ask("GET", "/v1/account", token: tokens[name])
                accounts[name] = try #require(own.json["id"] as? String)
            }
            let made = try await rig.ask("POST", "/v1/services", ["name": "Backups"], token: tokens["ada"])
            #expect(made.status == 201)
            let id = try #require(made.json["id"] as? String)
            #expect(made.headers["location"] == "/v1/services/\(id)")
            try await body(Scene(rig: rig, service: id, tokens: tokens, accounts: accounts))
        }
    }

    @Test func aServiceIsReadChangedAndEndedByItsTag() async throws {
        try await run { scene in
            let read = try await scene.ask("ada", "GET", scene.path)
            let tag = try #require(read.headers["etag"])
            func rename(_ name: String, _ tag: String) async throws -> APIRig.Answer {
                try await scene.rig.server.ask(
                    scene.path,
                    key: scene.tokens["ada"],
                    method: "PATCH",
                    headers: ["Content-Type": "application/json", "If-Match": tag],
                    body: try JSONSerialization.data(withJSONObject: ["name": name])
                )
            }
            let changed = try await rename("Nightly", tag)
            #expect((changed.status, changed.json["name"] as? String) == (200, "Nightly"))
            #expect(try await rename("Daily", tag).status == 412)
            #expect(try await rename("Daily", try #require(changed.headers["etag"])).status == 200)
            #expect(try await rename("Daily", "W/1").status == 400)
            for bad in [["name": "a\nb"], ["name": ""], ["other": "a"], [:]] {
                #expect(try await scene.ask("ada", "PATCH", scene.path, bad).status == 400)
            }
            #expect(try await scene.ask("ada", "DELETE", scene.path).status == 204)
            #expect(try await scene.ask("ada", "GET", scene.path).status == 404)
        }
    }

    @Test func servicesComeInPages() async throws {
        try await run { scene in
            for number in 1...4 {
                _ = try await scene.ask("ada", "POST", "/v1/services", ["name": "S\(number)", "levels": ["critical"]])
            }
            var (names, cursor, pages): ([String], String?, Int) = ([], nil, 0)
            repeat {
                let answer = try await scene.ask(
                    "ada",
                    "GET",
                    "/v1/services?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
                )
                names += (answer.json["services"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
                cursor = answer.json["next"] as? String
                pages += 1
            } while cursor != nil && pages < 9
            #expect(pages == 3)
            #expect(Set(names) == ["Backups", "S1", "S2", "S3", "S4"])
            #expect(names.count == 5)
            for query in ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=", "page=1"] {
                #expect(try await scene.ask("ada", "GET", "/v1/services?\(query)").status == 400)
            }
            #expect(scene.rig.server.refused(.forgedCursor) == 1)
        }
    }

    @Test func aKeyIsShownOnceRotatedAndEnded() async throws {
        try await run { scene in
            let keys = "\(scene.path)/keys"
            let made = try await scene.ask(
                "ada",
                "POST",
                keys,
                [
                    "name": "nightly", "kind": "test", "scopes": ["notify", "read"],
                    "expires_at": "2035-01-01T00:00:00Z",
                ]
            )
            #expect(made.status == 201)
            #expect(made.headers["cache-control"] == "no-store")
            let secret = try #require(made.json["secret"] as? String)
            #expect(KeySecret(secret)?.mode == .test)
            let id = try #require((made.json["key"] as? [String: Any])?["id"] as? String)
            let list = try await scene.ask("ada", "GET", keys)
            #expect(!list.text.contains(secret))
            #expect(list.text.contains(id))
            let rotated = try await scene.ask("ada", "POST", "\(keys)/\(id)/rotate", ["overlap": "1h"])
            #expect(rotated.status == 201)
            #expect(rotated.json["former_ends_at"] is String)
            #expect(try await scene.ask("ada", "POST", "\(keys)/\(id)/rotate", [:]).status == 409)
            #expect(try await scene.ask("ada", "POST", "\(keys)/\(id)/rotate", ["force": true]).status == 201)
            // An operator's key is none of these, and these are no operators' keys.
            #expect(try await scene.rig.server.ask("/v1/status", key: secret).status == 401)
            let live = try await scene.ask("ada", "POST", keys, ["name": "live"])
            let liveID = try #require((live.json["key"] as? [String: Any])?["id"] as? String)
            #expect(try await scene.ask("ada", "DELETE", "\(keys)/\(liveID)").status == 409)
            #expect(try await scene.ask("ada", "DELETE", "\(keys)/\(liveID)?force=true").status == 204)
            #expect(try await scene.ask("ada", "DELETE", "\(keys)/key_0000000000").status == 404)
            let bad: [[String: Any]] = [
                [:], ["name": "x", "kind": "other"], ["name": "x", "scopes": []], ["name": "x", "scopes": ["all"]],
                ["name": "x", "scopes": "notify"], ["name": "x", "expires_at": "2020-01-01T00:00:00Z"],
                ["name": "x", "expires_at": "2035-01-01T00:00"], ["name": "x", "expires_at": "3d"],
                ["name": "x", "scopes": ["notify", "notify"]],
            ]
            for members in bad { #expect(try await scene.ask("ada", "POST", keys, members).status == 400) }
        }
    }

    @Test func peopleAreInvitedMadeSomethingElseAndTakenAway() async throws {
        try await run(["ada", "eve", "mia"]) { scene in
            let (eve, mia) = (try #require(scene.accounts["eve"]), try #require(scene.accounts["mia"]))
            let members = "\(scene.path)/members"
            try await scene.join("eve")
            // Who belongs to it may read it and no more.
            #expect(try await scene.ask("eve", "GET", scene.path).status == 200)
            for (method, path) in [("GET", members), ("GET", "\(scene.path)/keys"), ("DELETE", scene.path)] {
                #expect(try await scene.ask("eve", method, path).status == 403)
            }
            #expect(try await scene.ask("ada", "PUT", "\(members)/\(eve)", ["role": "manager"]).status == 200)
            #expect(try await scene.ask("eve", "GET", members).status == 200)
            // A manager makes no owners, takes none away, and does not become one.
            let ada = try #require(scene.accounts["ada"])
            #expect(try await scene.ask("eve", "PUT", "\(members)/\(eve)", ["role": "owner"]).status == 403)
            #expect(try await scene.ask("eve", "PUT", "\(members)/\(ada)", ["role": "member"]).status == 403)
            #expect(try await scene.ask("eve", "DELETE", "\(members)/\(ada)").status == 403)
            let bad = try await scene.ask("eve", "POST", "\(scene.path)/transfer", ["account": eve])
            #expect(bad.status == 403)
            // The last owner stays.
            #expect(try await scene.ask("ada", "DELETE", "\(scene.path)/membership").status == 409)
            #expect(try await scene.ask("ada", "PUT", "\(members)/\(ada)", ["role": "member"]).status == 409)
            #expect(try await scene.ask("ada", "GET", members).status == 200)
            #expect(try await scene.ask("ada", "POST", "\(scene.path)/transfer", ["account": mia]).status == 404)
            #expect(try await scene.ask("ada", "POST", "\(scene.path)/transfer", ["account": eve]).status == 204)
            #expect(try await scene.ask("ada", "DELETE", scene.path).status == 403)
            let listed = try await scene.ask("ada", "GET", members)
            let roles = (listed.json["members"] as? [[String: Any]] ?? []).compactMap { $0["role"] as? String }
            #expect(roles == ["owner", "manager"])
            // Whoever goes is told nothing more, and may come again.
            #expect(try await scene.ask("eve", "DELETE", "\(members)/\(ada)").status == 204)
            #expect(try await scene.ask("ada", "GET", scene.path).status == 404)
            let again = try await scene.ask("eve", "POST", "\(scene.path)/invitations", [:])
            #expect(try await scene.ask("ada", "PUT", "/v1/invitations/\(scene.token(again))").status == 200)
        }
    }

    @Test func anInvitationIsGoodOnceAndSaysNothingOfAccounts() async throws {
        try await run(["ada", "eve", "mia"]) { scene in
            let invitations = "\(scene.path)/invitations"
            var answers: [Set<String>] = []
            for email in ["eve@example.com", "nobody@example.org"] {
                let made = try await scene.ask("ada", "POST", invitations, ["email": email])
                #expect(made.status == 201)
                answers.append(Set(made.json.keys))
                #expect(made.json["link"] == nil)
                let mail = try #require(try scene.rig.mails().last { $0.recipient == email })
                #expect(mail.subject == "You are invited to a service")
            }
            #expect(answers[0] == answers[1])
            let made = try await scene.ask("ada", "POST", invitations, ["role": "manager"])
            let token = try scene.token(made)
            #expect(
                try !scene.rig.server.documents("invitations").contains { document in
                    String(decoding: document.bytes, as: UTF8.self).contains(token)
                }
            )
            #expect(try await scene.rig.ask("GET", "/v1/invitations/\(token)").status == 401)
            let offer = try await scene.ask("eve", "GET", "/v1/invitations/\(token)")
            #expect(offer.json["name"] as? String == "Backups")
            #expect(try await scene.ask("ada", "PUT", "/v1/invitations/\(token)").status == 409)
            let joined = try await scene.ask("eve", "PUT", "/v1/invitations/\(token)")
            #expect((joined.status, joined.json["role"] as? String) == (200, "manager"))
            for who in ["eve", "mia"] {
                for method in ["GET", "PUT", "DELETE"] {
                    #expect(try await scene.ask(who, method, "/v1/invitations/\(token)").status == 404)
                }
            }
            // Withdrawn, declined, and of somebody who may not invite any more.
            let withdrawn = try await scene.ask("ada", "POST", invitations, [:])
            let id = try #require(withdrawn.json["id"] as? String)
            #expect(try await scene.ask("ada", "DELETE", "\(invitations)/\(id)").status == 204)
            #expect(try await scene.ask("ada", "DELETE", "\(invitations)/\(id)").status == 404)
            let declined = try await scene.ask("ada", "POST", invitations, [:])
            #expect(try await scene.ask("mia", "DELETE", "/v1/invitations/\(scene.token(declined))").status == 204)
            let byEve = try await scene.ask("eve", "POST", invitations, [:])
            #expect(try await scene.ask("eve", "DELETE", "\(scene.path)/membership").status == 204)
            for answer in [withdrawn, declined, byEve] {
                #expect(try await scene.ask("mia", "PUT", "/v1/invitations/\(scene.token(answer))").status == 404)
            }
            for members in [
                ["role": "owner"], ["role": "x"], ["email": "none"], ["email": "a@b.example\r\nBcc: c@d.example"],
            ] {
                #expect(try await scene.ask("ada", "POST", invitations, members).status == 400)
            }
            #expect(scene.rig.server.refused(.mailHeader) == 1)
        }
    }

    @Test func eachPersonSaysWhatTheyAreTold() async throws {
        try await run { scene in
            try await scene.join("eve")
            let own = "\(scene.path)/membership"
            let changed = try await scene.ask(
                "eve",
                "PUT",
                own,
                ["levels": ["error", "critical"], "muted_until": "2035-01-01T00:00:00Z"]
            )
            #expect(changed.status == 200)
            #expect(changed.json["levels"] as? [String] == ["error", "critical"])
            #expect(changed.json["muted_until"] as? String == "2035-01-01T00:00:00.000Z")
            let others = try await scene.ask("ada", "GET", own)
            #expect(others.json["levels"] as? [String] == ["info", "warning", "error"])
            #expect(try await scene.ask("eve", "PUT", own, ["levels": [String]()]).json["muted_until"] == nil)
            let bad: [[String: Any]] = [
                [:], ["levels": ["loud"]], ["levels": ["info", "info"]],
                ["levels": ["info"], "muted_until": "2020-01-01T00:00:00Z"],
                ["levels": 7], ["levels": ["info"], "role": "owner"],
            ]
            for members in bad { #expect(try await scene.ask("eve", "PUT", own, members).status == 400) }
            let hours = "/v1/account/quiet-hours"
            #expect(try await scene.ask("eve", "GET", hours).json.isEmpty)
            let night = ["from": "22:00", "to": "07:30", "zone": "Europe/Prague"]
            #expect(try await scene.ask("eve", "PUT", hours, night).status == 200)
            #expect(try await scene.ask("eve", "GET", hours).json as? [String: String] == night)
            #expect(try await scene.ask("ada", "GET", hours).json.isEmpty)
            #expect(
                try await scene.ask("eve", "PUT", hours, ["from": "22:00", "to": "07:30", "zone": "CEST"]).status == 400
            )
            #expect(try await scene.ask("eve", "DELETE", hours).status == 204)
            #expect(try await scene.ask("eve", "GET", hours).json.isEmpty)
        }
    }
}
