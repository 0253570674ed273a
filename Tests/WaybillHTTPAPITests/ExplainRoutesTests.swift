import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTLS

@testable import WaybillHTTPAPI

private let token = String(repeating: "00fc13ad", count: 8)

/// Why a push did not arrive, over HTTP, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct ExplainRoutesTests {
    private func id(_ number: UInt64) -> NotificationID {
        NotificationID(high: (1_700_000_000_000 + number) << 16 | 0x7000, low: 1 << 63 | number)
    }

    private func notifications(_ answer: APIRig.Answer) -> [[String: Any]] {
        answer.json["notifications"] as? [[String: Any]] ?? []
    }

    private func ask(_ rig: APIRig.Running, token: String, key: String) async throws -> APIRig.Answer {
        let body = Data(#"{"token": "\#(token)"}"#.utf8)
        let headers = ["Content-Type": "application/json"]
        return try await rig.ask("/v1/explain", key: key, method: "POST", headers: headers, body: body)
    }

    @Test(arguments: [
        (Role.reader, ClientScope.all, "…13ad"), (.reader, .only(["acme"]), "…13ad"),
        (.investigator, .only(["acme"]), token), (.operator, .all, token),
    ])
    func aNotificationWithAsMuchOfItsTokenAsTheRoleMaySee(role: Role, clients: ClientScope, shown: String) async throws
    {
        try await APIRig.run { rig in
            try rig.record(id(1), client: "acme", token: token, outcome: "rejected")
            let answer = try await rig.ask("/v1/explain?apns_id=\(id(1))", key: try rig.key(role, clients).text)
            #expect(answer.status == 200)
            let story = try #require(notifications(answer).first)
            #expect((story["record"] as? [String: Any])?["device_token"] as? String == shown)
            #expect((story["steps"] as? [[String: Any]])?.contains { $0["kind"] as? String == "outcome" } == true)
            #expect((answer.json["next"] as? [String])?.isEmpty == false)
            #expect(answer.text.contains(token) == (shown == token))
        }
    }

    /// Two clients, and all that one of them could ask of the other's pushes.
    @Test func whatIsOfAnotherClientIsAsIfItWereNotThere() async throws {
        try await APIRig.run { rig in
            try rig.record(id(1), client: "globex", token: token, batch: "b1")
            try rig.record(id(2), client: nil, token: token, batch: "b1")
            try rig.device(token, client: "globex")
            let other = String(repeating: "beefbeef", count: 8)
            let key = try rig.key(.steward, .only(["acme"])).text
            let none = try await rig.ask("/v1/explain?apns_id=\(id(3))", key: key)
            #expect(none.status == 200)
            for number: UInt64 in 1...2 {
                let foreign = try await rig.ask("/v1/explain?apns_id=\(id(number))", key: key)
                #expect(foreign.text == none.text)
            }
            let batch = try await rig.ask("/v1/explain?batch=b1", key: key)
            #expect(batch.status == 200)
            #expect(batch.json["total"] as? Int == 0)
            let device = try await ask(rig, token: token, key: key)
            #expect(device.status == 200)
            let unknown = try await ask(rig, token: other, key: key)
            #expect(device.text == unknown.text)
            let own = try await ask(rig, token: token, key: try rig.key(.investigator, .only(["globex"])).text)
            #expect(notifications(own).count == 1)
            #expect(
                (own.json["registry"] as? [[String: Any]])?.first?["text"] as? String == "enabled for com.example.app"
            )
        }
    }

    @Test func aTokenIsAskedByInABodyAndIsInTheAudit() async throws {
        try await APIRig.run { rig in
            try rig.record(id(1), client: "acme", token: token)
            #expect(try await ask(rig, token: token, key: try rig.key(.reader).text).status == 403)
            #expect(try rig.documents("audit").isEmpty)
            let (key, text) = try rig.key(.investigator)
            let answer = try await ask(rig, token: token.uppercased(), key: text)
            #expect(answer.status == 200)
            #expect(notifications(answer).count == 1)
            let entries = try rig.documents("audit")
            #expect(entries.count == 1)
            #expect(entries.first?["key"]?.string == key.id)
            #expect(entries.first?["how"]?.string == "POST /v1/explain")
            #expect(entries.first?["token"]?.string == SHA256Hasher.digest(of: token.utf8).hexadecimal)
            #expect(try await rig.ask("/v1/explain?token=\(token)", key: text).status == 400)
            #expect(!rig.lines().contains { $0.contains(token) })
        }
    }

    @Test(arguments: ["", "?apns_id=x", "?apns_id=\(NotificationID(high: 1, low: 2))&batch=b", "?batch="])
    func whatCannotBeMeantIsRefused(query: String) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask("/v1/explain\(query)", key: try rig.key(.steward).text)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: ["", "abc", "xyz0"])
    func whatIsNoTokenIsRefused(token: String) async throws {
        try await APIRig.run { rig in
            let answer = try await ask(rig, token: token, key: try rig.key(.steward).text)
            #expect(answer.status == 400)
            #expect(try rig.documents("audit").isEmpty)
        }
    }
}
