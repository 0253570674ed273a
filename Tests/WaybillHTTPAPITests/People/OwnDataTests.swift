import Foundation
import Testing
import WaybillMongo

@testable import WaybillHTTPAPI

/// The export of an account: all that is kept of a person, and nothing of anybody else's.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct OwnDataTests {
    private static let phone = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E11"
    private static let former = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E12"

    private func export(_ rig: NoticeRig, _ token: String) async throws -> APIRig.Answer {
        let answer = try await rig.people.ask("GET", "/v1/account/export", token: token)
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    @Test func aPhoneIsThereWithWhatIsRegisteredOfIt() async throws {
        try await NoticeRig.run { rig in
            let path = "/v1/account/devices"
            let said: [String: Any] = [
                "token": NoticeRig.token, "app_version": "3.1", "locale": "cs-CZ", "time_zone": "Europe/Prague",
                "tags": ["beta"],
            ]
            let put = try await rig.people.ask("PUT", "\(path)/\(Self.phone)", said, token: rig.ada.access)
            #expect(put.status == 204, "\(put.text)")
            let gone = ["token": String(repeating: "ab", count: 32), "locale": "de-AT"]
            #expect(
                try await rig.people.ask("PUT", "\(path)/\(Self.former)", gone, token: rig.ada.access).status == 204
            )
            #expect(try await rig.people.ask("DELETE", "\(path)/\(Self.former)", token: rig.ada.access).status == 204)

            let own = try await export(rig, rig.ada.access)
            let devices = try #require(own.json["devices"] as? [[String: Any]])
            let phone = try #require(devices.first { $0["device"] as? String == Self.phone })
            let wanted = [
                "app": NoticeRig.app, "provider": "apns", "token_kind": "token", "token": "…13ad", "app_version": "3.1",
                "locale": "cs-CZ", "time_zone": "Europe/Prague",
            ]
            for (name, text) in wanted { #expect(phone[name] as? String == text, "\(name)") }
            #expect(phone["tags"] as? [String] == ["beta"] && phone["enabled"] as? Bool == true)
            #expect(phone["registered_at"] != nil)
            #expect(!own.text.contains(NoticeRig.token))
            // What is registered afterwards is its next person's.
            let other = try #require(devices.first { $0["device"] as? String == Self.former })
            #expect(Set(other.keys) == ["app", "device", "enabled", "since"])
            for word in [Self.phone, "cs-CZ", "13ad"] {
                #expect(try await !export(rig, rig.eve.access).text.contains(word))
            }
            // Somebody else registers the same token under an id of their own: what they say of it is theirs.
            let shared = try await rig.people.ask(
                "PUT",
                "\(path)/5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E13",
                ["token": NoticeRig.token, "locale": "en-GB", "tags": ["of-eve"]],
                token: rig.eve.access
            )
            #expect(shared.status == 204, "\(shared.text)")
            let after = try await export(rig, rig.ada.access)
            #expect(!after.text.contains("of-eve") && !after.text.contains("en-GB"), "\(after.text)")
            #expect(!(try await export(rig, rig.eve.access)).text.contains("3.1"))
            let still = (after.json["devices"] as? [[String: Any]])?.first { $0["device"] as? String == Self.phone }
            #expect(still?["token"] as? String == "…13ad", "\(after.text)")
        }
    }

    @Test func webhooksAndInvitationsAreThere() async throws {
        try await NoticeRig.run { rig in
            let service = "/v1/services/\(rig.service)"
            let made = try await rig.people.ask(
                "POST",
                "\(service)/webhooks",
                ["url": "https://hooks.example.com/ada", "events": ["member.joined"]],
                token: rig.ada.access
            )
            #expect(made.status == 201, "\(made.text)")
            let secret = try #require(made.json["secret"] as? String)
            for email in ["EVE@example.com", "somebody@example.com"] {
                let body = ["email": email, "role": "manager"]
                let answer = try await rig.people.ask("POST", "\(service)/invitations", body, token: rig.ada.access)
                #expect(answer.status == 201, "\(answer.text)")
            }

            let ada = try await export(rig, rig.ada.access)
            let webhook = try #require((ada.json["webhooks"] as? [[String: Any]])?.first)
            #expect(webhook["url"] as? String == "https://hooks.example.com/ada")
            #expect(webhook["service"] as? String == rig.service && webhook["events"] as? [String] == ["member.joined"])
            #expect(!ada.text.contains(secret))
            let given = try #require(ada.json["invitations"] as? [[String: Any]])
            #expect(given.map { $0["direction"] as? String } == ["given", "given"])
            // Whom she has invited is theirs to know.
            for word in ["somebody@", "EVE@", "eve@"] { #expect(!ada.text.contains(word)) }

            let eve = try await export(rig, rig.eve.access)
            #expect((eve.json["webhooks"] as? [Any])?.isEmpty == true)
            let got = try #require(eve.json["invitations"] as? [[String: Any]])
            #expect(got.count == 1)
            #expect(got.first?["direction"] as? String == "got" && got.first?["name"] as? String == "Backups")
            #expect(got.first?["role"] as? String == "manager" && got.first?["service"] as? String == rig.service)
            for word in [rig.account, "somebody@", "hooks.example.com", "wbi_"] { #expect(!eve.text.contains(word)) }

            // One that is withdrawn is nobody's any more.
            let id = try #require(got.first?["id"] as? String)
            #expect(
                try await rig.people.ask("DELETE", "\(service)/invitations/\(id)", token: rig.ada.access).status == 204
            )
            #expect((try await export(rig, rig.eve.access).json["invitations"] as? [Any])?.isEmpty == true)
            #expect((try await export(rig, rig.ada.access).json["invitations"] as? [Any])?.count == 1)
        }
    }

    /// Puts notifications to Ada into the store, the latest first; every hundredth was erased, and its receipt was not.
    private func tell(_ count: Int, _ rig: NoticeRig) throws -> [String] {
        let ids = (0..<count).map { "note\(10_000 - $0)" }
        try rig.api.pool.withClient { client throws(MongoError) in
            let notifications = client.collection(database: rig.api.database, name: "notifications").bulk()
            let receipts = client.collection(database: rig.api.database, name: "receipts").bulk()
            for (number, id) in ids.enumerated() {
                let at = 1_700_000_000_000 - Int64(number)
                let receipt = BSONWriter()
                receipt.append("_id", string: "\(id)/\(rig.account)")
                receipt.append("notification", string: id)
                receipt.append("service", string: rig.service)
                receipt.append("account", string: rig.account)
                receipt.append("state", string: "queued")
                receipt.append("at", date: at)
                try receipts.insert(receipt)
                guard number % 100 != 99 else { continue }
                let notification = BSONWriter()
                notification.append("_id", string: id)
                notification.append("service", string: rig.service)
                notification.append("level", string: "info")
                notification.append("body", string: "Backup \(number)")
                notification.append("state", string: "sent")
                notification.append("at", date: at)
                try notifications.insert(notification)
            }
            try notifications.execute().requireDurable("insert")
            try receipts.execute().requireDurable("insert")
        }
        return ids.enumerated().filter { $0.offset % 100 != 99 }.map(\.element)
    }

    @Test func streamsEveryPageOfNotifications() async throws {
        try await NoticeRig.run { rig in
            let ids = try tell(405, rig)
            let own = try await export(rig, rig.ada.access)
            #expect(own.headers["transfer-encoding"] == "chunked" && own.headers["content-length"] == nil)
            #expect(own.type == "application/json" && own.text.hasSuffix("]}\n"))
            let told = try #require(own.json["notifications"] as? [[String: Any]])
            #expect(told.compactMap { $0["id"] as? String } == ids)
            #expect(told.allSatisfy { $0["receipt"] != nil })
            let none = try await export(rig, rig.eve.access)
            #expect((none.json["notifications"] as? [Any])?.isEmpty == true)
            try await NoticeRig.until { rig.api.server.places.count == 0 }
        }
    }
}
