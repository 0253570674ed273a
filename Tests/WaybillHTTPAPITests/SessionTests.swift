import Foundation
import Testing
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

/// Logging in and out, and what a cookie may do: over real sockets, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct SessionTests {
    private typealias Answer = APIRig.Answer

    private func body(_ key: String) -> Data { Data(#"{"key": "\#(key)"}"#.utf8) }

    private func logIn(_ rig: APIRig.Running, _ key: String, _ headers: [String: String] = [:]) async throws -> Answer {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        return try await rig.ask("/v1/session", method: "POST", headers: headers, body: body(key))
    }

    /// The cookie of an answer, as a browser sends it back.
    private func cookie(_ answer: Answer) throws -> String {
        try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    }

    /// Ends a key as another process does.
    private func change(_ rig: APIRig.Running, _ body: (KeyIssuer) throws -> Void) throws {
        let client = try rig.pool.pop()
        defer { rig.pool.push(client) }
        try body(KeyIssuer(client: client, database: rig.database))
    }

    @Test func logInAndOut() async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.reader, .only(["b", "a"]))
            let answer = try await logIn(rig, text)
            #expect(answer.status == 200)
            let field = try #require(answer.headers["set-cookie"])
            #expect(
                field.wholeMatch(
                    of: /waybill_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict/
                ) != nil
            )
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.json["role"] as? String == "reader")
            #expect(answer.json["clients"] as? [String] == ["a", "b"])
            #expect((answer.json["key"] as? [String: String]) == ["id": key.id, "name": "test"])
            #expect((answer.json["expires_at"] as? String)?.isEmpty == false)
            let cookie = ["Cookie": try cookie(answer)]
            let shown = try await rig.ask("/v1/session", headers: cookie)
            #expect(shown.status == 200)
            #expect(shown.text == answer.text)
            #expect(try await rig.ask("/v1/deliveries", headers: cookie).status == 200)
            // It may what the key may, and no more.
            #expect(try await rig.ask("/v1/status", headers: cookie).status == 403)
            let own = cookie.merging(["Origin": "http://127.0.0.1:\(rig.port)"]) { $1 }
            let end = try await rig.ask("/v1/session", method: "DELETE", headers: own)
            #expect(end.status == 204)
            #expect(end.headers["set-cookie"]?.hasPrefix("waybill_session=; Path=/; Max-Age=0;") == true)
            // What was kept of it is worth nothing.
            for path in ["/v1/session", "/v1/deliveries"] {
                #expect(try await rig.ask(path, headers: cookie).status == 401)
            }
            let document = try #require(try rig.documents("sessions").first)
            #expect(document["ended_at"]?.date != nil)
            let audit = try rig.documents("audit")
            #expect(audit.map { $0["action"]?.string } == ["session.log_in", "session.log_out"])
            #expect(audit.allSatisfy { $0["key"]?.string == key.id && $0["address"]?.string == "127.0.0.1" })
        }
    }

    @Test func neitherStoreNorLogHasTheCookie() async throws {
        try await APIRig.run { rig in
            let text = try rig.key(.reader).text
            let cookie = try cookie(try await logIn(rig, text))
            let secret = try #require(cookie.split(separator: "=").last)
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": cookie]).status == 200)
            #expect(try await rig.ask("/v1/nothing", headers: ["Cookie": cookie]).status == 404)
            for name in ["sessions", "keys", "audit"] {
                for document in try rig.documents(name) {
                    let bytes = String(decoding: document.bytes, as: UTF8.self)
                    #expect(!bytes.contains(secret))
                    #expect(!bytes.contains(text))
                }
            }
            #expect(rig.lines().contains { $0.contains("/v1/session") })
            for line in rig.lines() {
                #expect(!line.contains(secret))
                #expect(!line.contains(text))
            }
        }
    }

    /// What an attacker has put into the browser before is never what somebody is logged in by.
    @Test func aSessionIsAlwaysANewOne() async throws {
        try await APIRig.run { rig in
            let planted = "waybill_session=" + SessionSecret.generate().reveal()
            let text = try rig.key(.reader).text
            let first = try cookie(try await logIn(rig, text, ["Cookie": planted]))
            #expect(first != planted)
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": planted]).status == 401)
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": first]).status == 200)
            // Logging in again ends the session that the browser had.
            let second = try cookie(try await logIn(rig, text, ["Cookie": first]))
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": first]).status == 401)
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": second]).status == 200)
        }
    }

    @Test func whatIsNoSessionIsNobody() async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.reader)
            let good = try cookie(try await logIn(rig, text))
            let secret = try #require(good.split(separator: "=").last.map(String.init))
            let digest = try #require(try rig.documents("sessions").first?["_id"]?.string)
            let wrong = [
                "waybill_session=", "waybill_session=\(SessionSecret.generate().reveal())", "waybill_session=\(digest)",
                "waybill_session=\(text)", "waybill_session=\(key.id)", "waybill_session=\(secret)x",
                "session=\(secret)",
                "\(good); \(good)", "\(good); waybill_session=x", "waybill_session=\(secret.uppercased())",
            ]
            for cookie in wrong {
                #expect(try await rig.ask("/v1/status", headers: ["Cookie": cookie]).status == 401, "\(cookie)")
            }
            // A cookie is no key, and an address is no place for either.
            #expect(try await rig.ask("/v1/status", key: secret).status == 401)
            #expect(try await rig.ask("/v1/status?\(good)").status == 401)
            #expect(try await rig.ask("/v1/status", headers: ["Cookie": "a=b; \(good); c=d"]).status == 200)
        }
    }

    @Test func aKeyBesideACookieCountsAlone() async throws {
        try await APIRig.run { rig in
            let cookie = ["Cookie": try cookie(try await logIn(rig, try rig.key(.steward).text))]
            let (other, text) = try rig.key(.reader)
            let shown = try await rig.ask("/v1/session", key: text, headers: cookie)
            #expect((shown.json["key"] as? [String: String])?["id"] == other.id)
            #expect(shown.json["expires_at"] is NSNull)
            let bad = KeySecret.generate(mode: .live).reveal()
            #expect(try await rig.ask("/v1/status", key: bad, headers: cookie).status == 401)
            // Nothing of the cookie's session is ended with a key.
            let end = try await rig.ask("/v1/session", key: text, method: "DELETE", headers: cookie)
            #expect(end.status == 404)
            #expect(try await rig.ask("/v1/status", headers: cookie).status == 200)
        }
    }

    @Test(
        arguments: [
            ([:], 403), (["Origin": "OWN"], 204), (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
            (["Origin": "https://127.0.0.1:PORT"], 403), (["Origin": "http://127.0.0.1"], 403),
            (["Origin": "http://127.0.0.1:PORT.evil.example"], 403), (["Origin": "http://localhost:PORT"], 403),
            (["Sec-Fetch-Site": "same-origin"], 204), (["Sec-Fetch-Site": "same-site"], 403),
            (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "none"], 403),
            (["Sec-Fetch-Site": "cross-site", "Origin": "OWN"], 403),
            (["Sec-Fetch-Site": "same-origin, cross-site"], 403),
        ] as [([String: String], Int)]
    )
    func anotherSitesPageCannotUseTheCookie(headers: [String: String], status: Int) async throws {
        try await APIRig.run { rig in
            let cookie = try cookie(try await logIn(rig, try rig.key(.steward).text))
            let headers = headers.mapValues { value in
                value.replacing("OWN", with: "http://127.0.0.1:PORT").replacing("PORT", with: "\(rig.port)")
            }
            // Whatever the route: it is decided where the caller is found.
            for path in ["/v1/lanes/a/pause", "/v1/rejected/drop"] where status == 403 {
                let answer = try await rig.ask(
                    path,
                    method: "POST",
                    headers: headers.merging(["Cookie": cookie]) { $1 },
                    body: Data("{}".utf8)
                )
                #expect(answer.status == 403)
                #expect((answer.json["detail"] as? String)?.contains("the page of this server alone") == true)
            }
            let end = try await rig.ask(
                "/v1/session",
                method: "DELETE",
                headers: headers.merging(["Cookie": cookie]) { $1 }
            )
            #expect(end.status == status)
        }
    }

    @Test(
        arguments: [
            ("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403),
        ]
    )
    func anotherSitesPageReadsNothingByTheCookie(site: String, status: Int) async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            let cookie = try cookie(try await logIn(rig, key))
            let headers = ["Cookie": cookie, "Sec-Fetch-Site": site]
            #expect(try await rig.ask("/v1/status", headers: headers).status == status)
            // Whoever sends a key is no browser's accident.
            #expect(try await rig.ask("/v1/status", key: key, headers: ["Sec-Fetch-Site": site]).status == 200)
        }
    }

    @Test func anotherSitesPageLogsNobodyIn() async throws {
        try await APIRig.run { rig in
            let text = try rig.key(.reader).text
            for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                let answer = try await logIn(rig, text, headers)
                #expect(answer.status == 403)
                #expect(answer.headers["set-cookie"] == nil)
            }
            // What a form can send without asking first.
            let form = try await rig.ask(
                "/v1/session",
                method: "POST",
                headers: ["Content-Type": "text/plain"],
                body: body(text)
            )
            #expect(form.status == 415)
            #expect(try await logIn(rig, text, ["Origin": "http://127.0.0.1:\(rig.port)"]).status == 200)
        }
    }

    @Test func aSessionEndsWithItsKey() async throws {
        try await APIRig.run { rig in
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let (revoked, ended) = (try rig.key(.reader), try rig.key(.reader, expiresAt: now + 3_600_000))
            let (rotated, gone) = (try rig.key(.reader), try rig.key(.reader))
            let answers = [
                try await logIn(rig, revoked.text), try await logIn(rig, ended.text),
                try await logIn(rig, rotated.text),
                try await logIn(rig, gone.text),
            ]
            let cookies = try answers.map { try cookie($0) }
            // No longer than the key.
            let age = try #require(answers[1].headers["set-cookie"]?.firstMatch(of: /Max-Age=(\d+)/)?.1)
            #expect(try #require(Int(age)) <= 3600)
            try change(rig) { issuer in
                try issuer.revoke(revoked.key.id, now: now)
                _ = try issuer.rotate(rotated.key.id, overlap: .hour, isForced: false, by: "test", now: now)
                _ = try issuer.rotate(gone.key.id, overlap: .none, isForced: false, by: "test", now: now)
            }
            // None of the sessions has been used yet, so this process has believed nobody.
            let statuses = [
                try await rig.ask("/v1/status", headers: ["Cookie": cookies[0]]).status,
                try await rig.ask("/v1/status", headers: ["Cookie": cookies[1]]).status,
                try await rig.ask("/v1/status", headers: ["Cookie": cookies[2]]).status,
                try await rig.ask("/v1/status", headers: ["Cookie": cookies[3]]).status,
            ]
            #expect(statuses == [401, 200, 200, 401])
        }
    }

    @Test func whoeverGuessesIsLimitedAndNobodyElseIs() async throws {
        try await APIRig.run { rig in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<150 {
                    let guess =
                        number.isMultiple(of: 2) ? KeySecret.generate(mode: .live).reveal() : "wbk_live_\(number)"
                    group.addTask { try await logIn(rig, guess).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(429))
            #expect(statuses.allSatisfy { [401, 429].contains($0) })
            // From the same address, never seen before: both ways.
            #expect(try await logIn(rig, try rig.key(.reader).text).status == 200)
            #expect(try await rig.ask("/v1/status", key: try rig.key(.reader).text).status == 200)
        }
    }

    @Test func aKeyBeginsOnlySoManySessions() async throws {
        try await APIRig.run { rig in
            let text = try rig.key(.reader).text
            var statuses: [Int] = []
            for _ in 0..<10 { statuses.append(try await logIn(rig, text).status) }
            #expect(statuses.prefix(5) == [200, 200, 200, 200, 200])
            #expect(statuses.contains(429))
            #expect(try rig.documents("sessions").count < 10)
            // With the key itself it goes on.
            #expect(try await rig.ask("/v1/status", key: text).status == 200)
        }
    }

    @Test(arguments: ["{}", "", #"{"key": ""}"#, #"{"key": 5}"#, #"{"token": "a"}"#, "[]", "{"])
    func aBodyWithoutAKeyIsRefused(body: String) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask(
                "/v1/session",
                method: "POST",
                headers: ["Content-Type": "application/json"],
                body: Data(body.utf8)
            )
            #expect(answer.status == 400)
        }
    }

    @Test func behindTLSTheCookieIsForThisHostAlone() async throws {
        let settings = { (port: Int) in
            ServeSettings(
                listen: .init(host: "127.0.0.1", port: UInt16(port)),
                proxies: [IPRange("10.0.0.0/8")].compactMap(\.self)
            )
        }
        try await APIRig.run(settings: settings) { rig in
            let answer = try await logIn(rig, try rig.key(.steward).text)
            let field = try #require(answer.headers["set-cookie"])
            #expect(field.hasPrefix("__Host-waybill_session="))
            #expect(field.hasSuffix("; HttpOnly; SameSite=Strict; Secure"))
            let cookie = ["Cookie": try cookie(answer)]
            // Another server of the domain can set one without the prefix.
            let secret = try #require(cookie["Cookie"]?.split(separator: "=").last)
            let planted = "waybill_session=\(secret)"
            #expect(try await rig.ask("/v1/session", headers: ["Cookie": planted]).status == 401)
            let both = "\(planted); __Host-waybill_session=\(secret)"
            #expect(try await rig.ask("/v1/session", headers: ["Cookie": both]).status == 200)
            for (origin, status) in [("http", 403), ("https", 204)] {
                let headers = cookie.merging(["Origin": "\(origin)://127.0.0.1:\(rig.port)"]) { $1 }
                #expect(try await rig.ask("/v1/session", method: "DELETE", headers: headers).status == status)
            }
        }
    }
}
