import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillSettings
import WaybillTelemetry

@testable import WaybillHTTPAPI

/// What is around every route: over real sockets, with a real store.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct APIServerTests {
    @Test func withoutAGoodKeyNothingIsSaid() async throws {
        try await APIRig.run { rig in
            let unknown = KeySecret.generate(mode: .live).reveal()
            let ended = try rig.key(.steward, expiresAt: 5).text
            for key in [nil, "", "x", "wbk_live_x", unknown, ended, unknown + "0"] {
                let answer = try await rig.ask("/v1/status", key: key)
                #expect(answer.status == 401)
                #expect(answer.type == "application/problem+json")
                #expect(answer.headers["www-authenticate"] == #"Bearer realm="waybill""#)
                #expect(answer.json["status"] as? Int == 401)
            }
            let good = try rig.key(.reader).text
            #expect(try await rig.ask("/v1/status?access_token=\(good)").status == 401)
            let basic = ["Authorization": "Basic \(good)"]
            #expect(try await rig.ask("/v1/status", headers: basic).status == 401)
            #expect(try await rig.ask("/v1/status", key: good).status == 200)
        }
    }

    @Test func aRevokedKeyIsNotGoodAnyMoreWhereNobodyHasSeenIt() async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.reader)
            let client = try rig.pool.pop()
            try KeyIssuer(client: client, database: rig.database).revoke(key.id, now: 1)
            rig.pool.push(client)
            #expect(try await rig.ask("/v1/status", key: text).status == 401)
        }
    }

    @Test(
        arguments: [
            ("POST", "/", 405, "GET, HEAD"), ("GET", "/v1", 404, nil), ("GET", "/v1/nothing", 404, nil),
            ("GET", "/v1/deliveries/a/b", 404, nil), ("GET", "/v1/%2e%2e/etc/passwd", 404, nil),
            ("POST", "/v1/status", 405, "GET, HEAD"), ("DELETE", "/v1/deliveries/a", 405, "GET, HEAD"),
            ("OPTIONS", "/v1/status", 405, "GET, HEAD"), ("PROPFIND", "/v1/status", 405, "GET, HEAD"),
            ("GET", "/v1/rejected/replay", 405, "POST"), ("GET", "/v1/rejected/drop", 405, "POST"),
            ("GET", "/v1/rejected/drop/", 405, "POST"), ("GET", "/v1//rejected/drop", 404, nil),
            ("GET", "//v1/status", 404, nil),
            ("DELETE", "/v1/rejected/replay", 405, "POST"), ("DELETE", "/v1/rejected/other", 405, "GET, HEAD"),
        ] as [(String, String, Int, String?)]
    )
    func whatIsNoRouteIsAProblem(method: String, path: String, status: Int, allow: String?) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask(path, method: method)
            #expect(answer.status == status)
            #expect(answer.type == "application/problem+json")
            #expect(answer.headers["allow"] == allow)
            #expect(answer.json["request_id"] as? String == answer.headers["x-request-id"])
        }
    }

    @Test func everyAnswerHasItsHeaders() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            for (path, status) in [("/v1/status", 200), ("/nothing", 404)] {
                let answer = try await rig.ask(path, key: key)
                #expect(answer.status == status)
                #expect(answer.headers["x-request-id"]?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["strict-transport-security"] == nil)
            }
            let head = try await rig.ask("/v1/status", key: key, method: "HEAD")
            #expect(head.status == 200)
            #expect(head.text.isEmpty)
        }
    }

    @Test func aKeyThatAsksTooOftenHearsHowOftenItMay() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            let first = try await rig.ask("/v1/status", key: key)
            #expect(first.headers["ratelimit-policy"] == #""key";q=20;w=2"#)
            #expect(first.headers["ratelimit"] == #""key";r=19;t=1"#)
            // Together they take less than the second in which ten more come back.
            let statuses = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<120 { group.addTask { try await rig.ask("/v1/status", key: key) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // Others may be refused because too much of the key waits for the store.
            let refused = try #require(
                statuses.first { $0.status == 429 && $0.text.contains("requests at once") }
            )
            #expect(refused.headers["ratelimit"]?.hasPrefix(#""key";r=0;"#) == true)
            // However it was refused: who waits that long has all requests again.
            for answer in statuses where answer.status == 429 {
                let reset = answer.headers["ratelimit"]?.split(separator: "=").last.flatMap { Int($0) }
                let wait = answer.headers["retry-after"].flatMap { Int($0) }
                #expect(try #require(wait) >= #require(reset))
            }
            #expect(statuses.allSatisfy { [200, 429].contains($0.status) })
            // Another key is not held up.
            #expect(try await rig.ask("/v1/status", key: try rig.key(.reader).text).status == 200)
        }
    }

    private typealias Answer = APIRig.Answer

    @Test func aBodyThatIsTooLargeIsNotRead() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.investigator).text
            let body = Data(repeating: 32, count: 70_000)
            let json = ["Content-Type": "application/json"]
            let answer = try await rig.ask("/v1/explain", key: key, method: "POST", headers: json, body: body)
            #expect(answer.status == 413)
            #expect(answer.headers["connection"] == "close")
            let small = try await rig.ask(
                "/v1/explain",
                key: key,
                method: "POST",
                headers: json,
                body: body.prefix(60_000)
            )
            #expect(small.status == 400)
            #expect(small.headers["connection"] != "close")
            // What comes with a method that the route does not take is not read either.
            let refused = try await rig.ask("/v1/status", key: key, method: "POST", body: body)
            #expect(refused.status == 405)
            #expect(refused.headers["connection"] == "close")
        }
    }

    /// Nobody waits for what is announced with a number that no counter holds, nor for what was refused before it was read.
    @Test(
        arguments: [
            ("POST /v1/session", "9223372036854775807", "413"), ("POST /v1/session", "9223372036854775808", "413"),
            ("POST /v1/session", "18446744073709551615", "413"), ("POST /v1/status", "1000", "405"),
        ]
    )
    func aBodyThatIsAnnouncedOnly(what: String, length: String, status: String) async throws {
        try await APIRig.run { rig in
            let client = try RawClient(port: rig.port)
            client.send("\(what) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
            client.send("Content-Length: \(length)\r\n\r\n{")
            #expect(try await client.readsEnd())
            #expect(client.text.hasPrefix("HTTP/1.1 \(status) "), "\(client.text.prefix(80))")
        }
    }

    @Test(arguments: [Role.reader, .investigator, .operator, .steward])
    func aKeyForSomeClientsSeesNothingOfTheInstallation(role: Role) async throws {
        try await APIRig.run { rig in
            let answer = try await rig.ask("/v1/status", key: try rig.key(role, .only(["acme"])).text)
            #expect(answer.status == 403)
            #expect(
                answer.json["detail"] as? String
                    == "this is about the whole installation, and takes a key for all clients"
            )
        }
    }

    @Test func aUseIsNotedAndNoPathOrKeyIsLogged() async throws {
        try await APIRig.run { rig in
            let (key, text) = try rig.key(.reader)
            let id = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"
            #expect(try await rig.ask("/v1/deliveries/\(id)", key: text).status == 404)
            #expect(try await rig.ask("/nothing/\(id)?token=\(text)").status == 404)
            let line = try #require(rig.lines().first { $0.contains("api.request") })
            #expect(line.contains(#""route":"/v1/deliveries/{apns_id}""#))
            #expect(line.contains(#""key":"\#(key.id)""#))
            #expect(line.contains(#""status":"404""#))
            for line in rig.lines() {
                #expect(!line.contains(id))
                #expect(!line.contains(text))
            }
            // On a thread of the store, a moment later.
            let deadline = ContinuousClock.now + .seconds(20)
            while try rig.documents("keys").first?["last_used_at"] == nil, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try rig.documents("keys").first?["last_used_at"]?.date != nil)
        }
    }

    @Test func whatIsCountedIsThereFromTheStart() async throws {
        try await APIRig.run { rig in
            _ = try await rig.ask("/nothing")
            var page = MetricsPage()
            rig.server.measure(into: &page)
            #expect(page.value("waybill_api_requests_total", ["route": "none", "status": "4xx"]) == 1)
            #expect(page.value("waybill_api_requests_total", ["route": "/v1/status", "status": "2xx"]) == 0)
            #expect(page.value("waybill_api_limited_requests_total") == 0)
            #expect(page.value("waybill_api_replayed_refresh_tokens_total") == 0)
            for refusal in RefusalTally.Refusal.allCases { #expect(rig.refused(refusal) == 0) }
            for closing in RefusalTally.Closing.allCases { #expect(rig.closed(closing) == 0) }
            #expect(page.text.contains(#"waybill_api_request_duration_seconds_count{route="none"} 1"#))
        }
    }
}

/// Without a store.
@Suite(.timeLimit(.minutes(2)))
struct APIServerWithoutStoreTests {
    @Test func aStoreThatIsAwayIsAnAnswer() async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let answer = try await rig.ask("/v1/status", key: KeySecret.generate(mode: .live).reveal())
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] == "5")
            #expect(answer.text.contains("waybill status"))
            let deadline = ContinuousClock.now + .seconds(30)
            while rig.server.status().checks.last?.cause == "not asked yet", ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            let checks = rig.server.status().checks
            #expect(checks.map(\.name) == ["listener", "store"])
            #expect(checks.map(\.isSound) == [true, false])
        }
    }

    @Test func onlyTheProxyMayAsk() async throws {
        let elsewhere = try #require(IPRange("10.0.0.0/8"))
        let settings = { (port: Int) in
            ServeSettings(listen: .init(host: "127.0.0.1", port: UInt16(port)), proxies: [elsewhere])
        }
        // This machine counts as the proxy's.
        try await APIRig.run(store: APIRig.nowhere, settings: settings) { rig in
            let answer = try await rig.ask("/v1/status", headers: ["X-Forwarded-For": "192.0.2.7"])
            #expect(answer.status == 401)
            #expect(answer.headers["strict-transport-security"] == "max-age=31536000")
            #expect(rig.lines().contains { $0.contains(#""peer":"192.0.2.7""#) })
        }
    }
}
