import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillOutbox
import WaybillThreads

@testable import WaybillHTTPAPI

/// The webhooks of a service, over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct ServiceWebhookRoutesTests {
    /// Ada owns a service; Eve has an account.
    private struct Scene {
        let rig: PeopleRig
        let service: String
        let tokens: [String: String]

        var path: String { "/v1/services/\(service)/webhooks" }

        func ask(_ who: String, _ method: String, _ path: String, _ members: [String: Any]? = nil) async throws
            -> APIRig.Answer
        {
            try await rig.ask(method, path, members, token: tokens[who])
        }

        func add(_ members: [String: Any] = ["url": "https://example.com/hook"]) async throws -> String {
            let made = try await ask("ada", "POST", path, members)
            #expect(made.status == 201, "\(made.text)")
            return try #require((made.json["webhook"] as? [String: Any])?["id"] as? String)
        }

        /// Has Eve belong to the service.
        func join(as role: String) async throws {
            let invitation = try await ask("ada", "POST", "/v1/services/\(service)/invitations", ["role": role])
            let link = try #require(invitation.json["link"] as? String)
            let token = try #require(link.split(separator: "=").last.map(String.init))
            #expect(try await ask("eve", "PUT", "/v1/invitations/\(token)").status == 200)
        }

        /// The types of what endpoints are to be told, with the ids of these.
        func told() throws -> [String] {
            try rig.server.documents("webhook_deliveries")
                .map { "\($0["type"]?.string ?? "") \($0["endpoint"]?.string ?? "")" }.sorted()
        }

        func withClient<Answer>(_ body: (MongoClient, String) throws(MongoError) -> Answer) throws -> Answer {
            try rig.server.pool.withClient { client throws(MongoError) in try body(client, rig.server.database) }
        }
    }

    private func run(_ body: (Scene) async throws -> Void) async throws {
        try await PeopleRig.run { rig in
            var tokens: [String: String] = [:]
            for name in ["ada", "eve"] {
                try await rig.person("\(name).l", "\(name)@example.com")
                tokens[name] = try await rig.session("\(name).l").access
            }
            let made = try await rig.ask("POST", "/v1/services", ["name": "Backups"], token: tokens["ada"])
            try await body(Scene(rig: rig, service: try #require(made.json["id"] as? String), tokens: tokens))
        }
    }

    @Test func aSecretIsShownOnce() async throws {
        try await run { scene in
            let wanted: [String: Any] = ["url": "https://example.com/hook", "events": ["notification.rejected"]]
            let made = try await scene.ask("ada", "POST", scene.path, wanted)
            let secret = try #require(made.json["secret"] as? String)
            #expect(made.status == 201 && WebhookSecret(secret) != nil)
            let webhook = try #require(made.json["webhook"] as? [String: Any])
            #expect(webhook["state"] as? String == "active")
            #expect(webhook["events"] as? [String] == ["notification.rejected"])
            let id = try #require(webhook["id"] as? String)
            let rotated = try await scene.ask("ada", "POST", "\(scene.path)/\(id)/rotate", ["overlap": "1h"])
            let next = try #require(rotated.json["secret"] as? String)
            #expect(rotated.status == 201 && next != secret && rotated.json["former_signs_until"] is String)
            for path in [scene.path, "\(scene.path)/\(id)"] {
                let read = try await scene.ask("ada", "GET", path)
                #expect(read.status == 200 && !read.text.contains("whsec_"))
            }
            let stored = try scene.withClient { client, database throws(MongoError) in
                try WebhookSecrets(client: client, database: database).all()[id]?.map { $0.secret.reveal() }
            }
            #expect(stored == [next, secret])
            let audit = try scene.rig.server.documents("audit").compactMap { $0["action"]?.string }
            #expect(audit == ["service_webhook.create", "service_webhook.rotate"])
        }
    }

    @Test func onlyWhoManagesTheServiceHasThem() async throws {
        try await run { scene in
            let id = try await scene.add()
            try await scene.join(as: "member")
            for (method, path) in [
                ("GET", scene.path), ("GET", "\(scene.path)/\(id)"), ("DELETE", "\(scene.path)/\(id)"),
            ] {
                #expect(try await scene.ask("eve", method, path).status == 403)
            }
            #expect(try await scene.ask("eve", "POST", scene.path, ["url": "https://example.com/"]).status == 403)
            // Nor is it one of another service.
            let other = try await scene.ask("eve", "POST", "/v1/services", ["name": "Other"])
            let theirs = "/v1/services/\(try #require(other.json["id"] as? String))/webhooks/\(id)"
            for (method, path) in [("GET", ""), ("POST", "/test"), ("POST", "/rotate"), ("DELETE", "")] {
                #expect(try await scene.ask("eve", method, theirs + path).status == 404)
            }
            #expect(try scene.rig.server.documents("webhook_endpoints").count == 1)
        }
    }

    @Test func whatIsNotOfTheFormIsRefused() async throws {
        try await run { scene in
            let wrong: [[String: Any]] = [
                [:], ["url": "http://example.com/"], ["url": "https://127.1/"], ["url": "https://a@example.com/"],
                ["url": "https://example.com:22/"], ["url": "https://example.com/", "events": ["webhook.test"]],
                ["url": "https://example.com/", "events": ["no.event"]],
                ["url": "https://example.com/", "events": ["member.left", "member.left"]],
            ]
            for members in wrong {
                #expect(try await scene.ask("ada", "POST", scene.path, members).status == 400, "\(members)")
            }
            #expect(scene.rig.server.refused(.webhookURL) == 4)
            let id = try await scene.add()
            let replay = "\(scene.path)/\(id)/replay"
            for members in [
                [:], ["since": "yesterday"], ["since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"],
            ] {
                #expect(try await scene.ask("ada", "POST", replay, members).status == 400, "\(members)")
            }
            #expect(try await scene.ask("ada", "POST", replay, ["event": "evt_0"]).status == 404)
            #expect(try await scene.ask("ada", "POST", "\(scene.path)/we_0/test").status == 404)
            for _ in 1..<5 { _ = try await scene.add() }
            let many = try await scene.ask("ada", "POST", scene.path, ["url": "https://example.com/"])
            #expect(many.status == 409 && many.text.contains("5 webhooks"))
            #expect(try scene.rig.server.documents("webhook_endpoints").filter { $0["expires_at"] == nil }.count == 5)
        }
    }

    @Test func theyAreTriedSwitchedAndRemoved() async throws {
        try await run { scene in
            let id = try await scene.add(["url": "https://example.com/hook", "events": ["member.joined"]])
            let one = "\(scene.path)/\(id)"
            let tested = try await scene.ask("ada", "POST", "\(one)/test")
            let event = try #require(tested.json["event"] as? String)
            #expect(tested.status == 202)
            let shown = try await scene.ask("ada", "GET", one)
            let events = try #require(shown.json["events"] as? [[String: Any]])
            #expect(events.map { $0["event"] as? String } == [event])
            #expect(events.first?["state"] as? String == "waiting")
            let failed = try await scene.ask("ada", "GET", "\(one)?failed=true")
            #expect((failed.json["events"] as? [Any])?.isEmpty == true)
            let again = try await scene.ask("ada", "POST", "\(one)/replay", ["event": event])
            #expect(again.status == 200 && again.json["events"] as? Int == 1)

            let off = try await scene.ask("ada", "POST", "\(one)/disable")
            #expect(off.status == 200 && off.json["state"] as? String == "disabled" && off.json["reason"] is String)
            #expect(try await scene.ask("ada", "POST", "\(one)/test").status == 409)
            #expect(try await scene.ask("ada", "POST", "\(one)/enable").json["state"] as? String == "active")
            #expect(try await scene.ask("ada", "DELETE", one).status == 204)
            #expect(try await scene.ask("ada", "GET", one).status == 404)
            #expect(try scene.rig.server.documents("webhook_secrets").allSatisfy { $0["expires_at"] != nil })
        }
    }

    @Test func whoComesAndGoesIsTold() async throws {
        try await run { scene in
            let all = try await scene.add()
            let joined = try await scene.add(["url": "https://example.com/2", "events": ["member.joined"]])
            try await scene.join(as: "member")
            #expect(try scene.told() == ["member.joined \(all)", "member.joined \(joined)"].sorted())
            let members = "/v1/services/\(scene.service)/members"
            let people = try await scene.ask("ada", "GET", members).json["members"] as? [[String: Any]]
            let eve = try #require(people?.first { $0["role"] as? String == "member" }?["account"] as? String)
            #expect(try await scene.ask("ada", "PUT", "\(members)/\(eve)", ["role": "manager"]).status == 200)
            #expect(try await scene.ask("ada", "DELETE", "\(members)/\(eve)").status == 204)
            let told = try scene.told().filter { $0.hasSuffix(all) }.compactMap { $0.split(separator: " ").first }
            #expect(told == ["member.changed", "member.joined", "member.left"])
            let changed = try scene.rig.server.documents("webhook_deliveries").first {
                $0["type"]?.string == "member.changed"
            }
            let body = try #require(changed?["body"]?.string)
            #expect(body.contains(#""data":{"service":"\#(scene.service)","account":"\#(eve)","role":"manager"}"#))

            // With the service they end, and their secrets are erased.
            #expect(try await scene.ask("ada", "DELETE", "/v1/services/\(scene.service)").status == 204)
            let endpoints = try scene.withClient { client, database throws(MongoError) in
                try WebhookEndpoints(client: client, database: database).all()
            }
            #expect(endpoints.isEmpty)
            let secrets = try scene.withClient { client, database throws(MongoError) in
                try WebhookSecrets(client: client, database: database).all()
            }
            let areErased = secrets.values.allSatisfy(\.isEmpty)
            #expect(areErased)
        }
    }

    @Test func whoManagesTheServiceHearsOfADisabledOne() async throws {
        try await run { scene in
            let (dead, other) = (try await scene.add(), try await scene.add())
            try await scene.join(as: "manager")
            try scene.withClient { client, database throws(MongoError) in
                let endpoints = WebhookEndpoints(client: client, database: database)
                for endpoint in try endpoints.all() where endpoint.id == dead {
                    let reason = "nothing has succeeded for five days"
                    _ = try endpoints.giveUp(dead, reason: reason, activeSince: endpoint.activeSince)
                }
            }
            let door = try #require(scene.rig.server.server.door)
            // Twice, as two processes would; the server's own sweep may be faster.
            for _ in 0..<2 { await door.tellOfDisabledWebhooks() }
            let mails = try scene.rig.mails().filter { $0.subject == "A webhook of a service was disabled" }
            #expect(mails.map(\.recipient).sorted() == ["ada@example.com", "eve@example.com"])
            let text = try scene.rig.server.documents("outbox_mail").compactMap { $0["text"]?.string }.joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains(dead) && text.contains("five days") && !text.contains("example.com/hook"))
            #expect(try scene.told().filter { $0.hasPrefix("webhook.disabled") } == ["webhook.disabled \(other)"])
        }
    }
}
