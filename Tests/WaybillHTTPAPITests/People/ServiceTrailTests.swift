import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// What stays of people's changes to services, and who hears of them.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct ServiceTrailTests {
    /// Ada makes a service, lets Eve and Mia in, and gives it away.
    @Test func changesAreAuditedAndTold() async throws {
        try await PeopleRig.run { rig in
            var (tokens, ids): ([String: String], [String: String]) = ([:], [:])
            for name in ["ada", "eve", "mia"] {
                try await rig.person("\(name).l", "\(name)@example.com")
                tokens[name] = try await rig.session("\(name).l").access
                let own = try await rig.ask("GET", "/v1/account", token: tokens[name])
                ids[name] = try #require(own.json["id"] as? String)
            }
            let (eve, mia) = (try #require(ids["eve"]), try #require(ids["mia"]))
            @discardableResult
            func ask(_ who: String, _ method: String, _ path: String, _ members: [String: Any]? = nil) async throws
                -> [String: Any]
            {
                let answer = try await rig.ask(method, path, members, token: tokens[who])
                #expect((200..<300).contains(answer.status), "\(method) \(path)")
                return answer.json
            }
            var seen: Set<String> = []
            /// Who was told of what since the last time, such as `ada service`.
            func told() throws -> [String] {
                try rig.server.documents("account_events").compactMap { event -> String? in
                    guard let id = event["_id"]?.string, seen.insert(id).inserted else { return nil }
                    let who = ids.first { $0.value == event["account"]?.string }?.key ?? "nobody"
                    return "\(who) \(event["type"]?.string ?? "")"
                }.sorted()
            }
            let service = try #require(
                try await ask("ada", "POST", "/v1/services", ["name": "Backups"])["id"] as? String
            )
            let path = "/v1/services/\(service)"
            #expect(try told() == ["ada service"])
            for who in ["eve", "mia"] {
                let link = try #require(try await ask("ada", "POST", "\(path)/invitations", [:])["link"] as? String)
                let token = try #require(link.split(separator: "=").last)
                try await ask(who, "PUT", "/v1/invitations/\(token)")
                #expect(try told() == ["ada membership", "\(who) membership"])
            }
            try await ask("ada", "PATCH", path, ["name": "Nightly"])
            #expect(try told() == ["ada service", "eve service", "mia service"])
            try await ask("mia", "PUT", "\(path)/membership", ["levels": ["error"]])
            #expect(try told() == ["mia membership"])
            let key = try await ask("ada", "POST", "\(path)/keys", ["name": "nightly"])["key"] as? [String: Any]
            let keyID = try #require(key?["id"] as? String)
            try await ask("ada", "DELETE", "\(path)/keys/\(keyID)?force=true")
            try await ask("ada", "PUT", "\(path)/members/\(eve)", ["role": "manager"])
            #expect(try told() == ["ada membership", "eve membership"])
            try await ask("ada", "POST", "\(path)/transfer", ["account": eve])
            #expect(Set(try told()) == ["ada membership", "eve membership"])
            try await ask("ada", "DELETE", "\(path)/members/\(mia)")
            #expect(try told() == ["ada membership", "eve membership", "mia membership"])
            // Whoever has gone hears of nothing more.
            try await ask("eve", "DELETE", path)
            #expect(try told() == ["ada service", "eve service"])

            let mails = try rig.mails().map { "\($0.recipient) \($0.subject)" }
            for mail in [
                "mia@example.com You were taken out of a service", "eve@example.com A service was given to you",
                "ada@example.com You gave a service away",
            ] {
                #expect(mails.filter { $0 == mail }.count == 1, "\(mail)")
            }
            let audit = try rig.server.documents("audit").filter { $0["account"] != nil }
            let rows = audit.sorted { ($0["at"]?.date ?? 0) < ($1["at"]?.date ?? 0) }.map { row in
                let actor = ids.first { $0.value == row["account"]?.string }?.key ?? ""
                return "\(actor) \(row["action"]?.string ?? "")"
            }
            #expect(
                rows == [
                    "ada invitation.create", "eve invitation.accept", "ada invitation.create", "mia invitation.accept",
                    "ada service_key.create", "ada service_key.revoke", "ada member.change", "ada service.transfer",
                    "ada member.remove", "eve service.delete",
                ]
            )
            #expect(audit.allSatisfy { $0["service"]?.string == service && $0["key"] == nil && $0["address"] == nil })
            #expect(audit.first { $0["action"]?.string == "member.remove" }?["subject"]?.string == mia)
            #expect(audit.first { $0["action"]?.string == "service_key.create" }?["subject"]?.string == keyID)
            #expect(audit.first { $0["action"]?.string == "member.change" }?["role"]?.string == "manager")
        }
    }
}
