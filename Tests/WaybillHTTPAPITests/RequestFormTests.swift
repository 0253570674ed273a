import Foundation
import Testing
import WaybillAccounts
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

/// The form of requests, byte by byte: no store is needed to refuse them.
@Suite(.timeLimit(.minutes(2)))
struct RequestFormTests {
    private static let post = "POST /v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    /// No key has this form, so that nobody is asked.
    private static let body = #"{"key": "a"}"#

    private func expect(_ status: String, to request: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            client.send(request)
            #expect(try await client.reads("\r\n\r\n"))
            let line = client.text.prefix { $0 != "\r\n" }
            #expect(line.split(separator: " ").dropFirst().first == status[...], "\(line)")
        }
    }

    /// The decoder reads nothing behind it: so the connection ends, and nobody waits for a second answer.
    @Test(arguments: ["h2c", "websocket"])
    func anotherProtocolIsNotSpoken(name: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            let request = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n"
            client.send(request + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readsEnd())
            #expect(client.text.hasPrefix("HTTP/1.1 404 "))
            #expect(client.text.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(client.text.components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test(
        arguments: [
            ("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "404"), ("GET /x HTTP/1.1\r\nHost:\r\n\r\n", "404"),
            ("GET /x HTTP/1.1\r\n\r\n", "400"), ("GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "400"), ("GET /x HTTP/1.0\r\n\r\n", "404"),
            ("GET /x HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "400"), ("GET http://a/x HTTP/1.1\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a b/c@d\r\n\r\n", "400"), ("GET /x HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "404"),
        ]
    )
    func oneHostIsNamed(request: String, wanted: String) async throws {
        try await expect(wanted, to: request)
    }

    @Test(
        arguments: [
            (post + "Expect: 200-ok\r\nContent-Length: 12\r\n\r\n", "417"),
            (post + "Expect: 100-continue, x\r\nContent-Length: 12\r\n\r\n", "417"),
            // Nobody asks for what is not read in any case.
            (post + "Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n", "413"),
            ("POST /v1/status HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n", "405"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", "404"),
            ("POST /v1/session HTTP/1.0\r\nExpect: x\r\nContent-Length: 12\r\n\r\n" + body, "415"),
        ]
    )
    func whatIsExpectedIsKnownOrRefused(request: String, wanted: String) async throws {
        try await expect(wanted, to: request)
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func aBodyThatWaitsToBeAskedForIsAskedFor(expectation: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            // Twice: the connection goes on behind it.
            for number in 1...2 {
                client.send(Self.post + "Expect: \(expectation)\r\nContent-Length: \(Self.body.utf8.count)\r\n\r\n")
                #expect(try await client.reads { $0.text.ranges(of: "HTTP/1.1 100 Continue\r\n\r\n").count == number })
                client.send(Self.body)
                #expect(try await client.reads { $0.text.ranges(of: "HTTP/1.1 401 ").count == number })
            }
            #expect(client.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 "))
        }
    }

    private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

    @Test(
        arguments: [
            ("4;a=b\r\n{\"ke\r\n8;c=\"d\"\r\ny\": \"a\"}\r\n0\r\n\r\n", "401"),
            (body.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n", "401"),
            ("zz\r\n", "400"), ("1\r\nab\r\n", "400"), ("ffffffffffffffffff\r\n", "400"),
            ("1;" + String(repeating: "a", count: 600_000), "400"),
            (String(repeating: "1;" + String(repeating: "a", count: 20_000) + "\r\n \r\n", count: 30), "400"),
        ]
    )
    func chunksHaveTheirFormAndLittleAroundThem(chunks: String, wanted: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            client.send(Self.chunked)
            client.send(chunks)
            #expect(try await client.reads("\r\n\r\n"))
            #expect(client.text.hasPrefix("HTTP/1.1 \(wanted) "), "\(client.text.prefix(80))")
            if wanted == "400" {
                #expect(client.text.contains("application/problem+json"))
                #expect(try await client.readsEnd())
            }
            #expect(!rig.lines().contains { $0.contains("api.failed") || $0.contains(#""status":"499""#) })
        }
    }

    private static let next = "GET /y HTTP/1.1\r\nHost: a\r\n\r\n"

    /// What a client sends ahead is not carried out behind the answer that ends the connection.
    @Test(
        arguments: [
            "GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: a\r\nConnection: foo, CLOSE\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
            post + "Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            post + "Content-Length: 70000\r\n\r\n" + String(repeating: " ", count: 70_000),
            post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        ]
    )
    func nothingIsServedBehindTheLastAnswer(request: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            client.send(request + Self.next + Self.next)
            #expect(try await client.readsEnd())
            #expect(client.text.ranges(of: "HTTP/1.1 ").count == 1, "\(client.text)")
            #expect(rig.lines().count { $0.contains("api.request") } == 1)
        }
    }

    /// Each in its turn, also behind a client's last word, and what cannot be read behind them.
    @Test(arguments: ["", "zz zz zz\r\n\r\n"]) func requestsThatWereSentAheadAreAnswered(rest: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            let body = "Content-Length: \(Self.body.utf8.count)\r\n\r\n" + Self.body
            client.send(Self.next + Self.post + body + Self.next + rest)
            client.endSending()
            #expect(try await client.readsEnd())
            let answers = client.text.ranges(of: #/HTTP/1\.1 \d{3}/#).map { String(client.text[$0].suffix(3)) }
            #expect(answers == ["404", "401", "404"] + (rest.isEmpty ? [] : ["400"]))
        }
    }

    /// Nobody undoes another coding, so what is under it would be taken for something else.
    @Test(arguments: ["gzip, chunked", "GZIP,chunked", "chunked, chunked", "identity, chunked", "xchunked"])
    func aTransferCodingThatIsNotReadIsRefused(coding: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            client.send(Self.post + "Transfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n")
            #expect(try await client.readsEnd())
            #expect(["HTTP/1.1 501 ", "HTTP/1.1 400 "].contains { client.text.hasPrefix($0) }, "\(client.text)")
            #expect(client.text.ranges(of: "HTTP/1.1 ").count == 1, "\(client.text)")
            #expect(client.text.contains("Content-Type: application/problem+json\r\n"))
            #expect(client.text.contains("Connection: close\r\n"))
        }
    }

    @Test(
        arguments: [
            ("", true), ("Connection: close\r\n", true), ("Connection: keep-alive\r\n", false),
            ("Connection: x, Keep-Alive\r\n", false), ("Connection: keep-alive, close\r\n", true),
        ]
    )
    func aClientOfHTTP10WaitsForTheEndUnlessItAsksForMore(field: String, ends: Bool) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            client.send("GET /x HTTP/1.0\r\n\(field)\r\n")
            #expect(try await client.reads("\r\n\r\n"))
            #expect(client.text.contains("Connection: close\r\n") == ends, "\(client.text)")
            if ends {
                #expect(try await client.readsEnd())
            } else {
                client.send("GET /x HTTP/1.0\r\n\r\n")
                #expect(try await client.readsEnd())
                #expect(client.text.ranges(of: " 404 ").count == 2)
            }
        }
    }

    @Test(
        arguments: [
            ("hello\r\n\r\n", "400"), ("GET /x HTTP/1.1\r\nno field\r\n\r\n", "400"), ("\u{16}\u{3}\u{1}", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 9000) + "\r\n\r\n", "431"),
            ("GET /x HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 70) + "\r\n", "431"),
            ("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "431"),
        ]
    )
    func whatIsNoRequestIsToldSo(text: String, wanted: String) async throws {
        try await APIRig.run(store: APIRig.nowhere) { rig in
            let client = try RawClient(port: rig.port)
            // A good one before it is answered as ever, and first.
            client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n" + text)
            #expect(try await client.readsEnd())
            let answers = client.text.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { String($0.prefix(3)) } == ["404", wanted], "\(client.text)")
            let last = try #require(answers.last)
            #expect(last.contains("Content-Type: application/problem+json\r\n"))
            #expect(last.contains("Connection: close\r\n"))
            let body = try #require(last.components(separatedBy: "\r\n\r\n").last)
            let problem = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
            #expect(problem["status"] as? Int == Int(wanted))
            let id = try #require(problem["request_id"] as? String)
            #expect(last.contains("X-Request-Id: \(id)\r\n"))
            #expect(rig.lines().contains { $0.contains(id) && $0.contains(#""status":"\#(wanted)""#) })
        }
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "20010db800010002"),
            // 6to4: whatever stands behind, it is one host.
            ("2002:c000:207:1::1", "192.0.2.7"), ("2002:c000:207:2::1", "192.0.2.7"),
            ("2001:db8:1:2::1", "20010db800010002"), ("2001:db8:1:3::1", "20010db800010003"),
            ("fe80::1%eth0", "fe80000000000000"), ("::1", "0000000000000000"), ("", ""), ("somewhere", "somewhere"),
        ]
    )
    func addressesOfOneClientHaveOneName(address: String, name: String) {
        #expect(AddressNeighbourhood.name(address) == name)
    }

    @Test func strangersOfOneNeighbourhoodAreLimitedTogether() async throws {
        let loopback = try #require(IPRange("127.0.0.0/8"))
        let settings = { (port: Int) in
            ServeSettings(listen: .init(host: "127.0.0.1", port: UInt16(port)), proxies: [loopback])
        }
        try await APIRig.run(store: APIRig.nowhere, settings: settings) { rig in
            func status(_ address: String) async throws -> Int {
                let headers = ["X-Forwarded-For": address, "Content-Type": "application/json"]
                return try await rig.ask("/v1/session", method: "POST", headers: headers, body: Data(Self.body.utf8))
                    .status
            }
            // Each from an address of its own, and more in a moment than are let in again by then.
            var statuses: Set<Int> = []
            for _ in 1...10 where !statuses.contains(429) {
                statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 1...60 { group.addTask { try await status("2001:db8:1:2::\(number)") } }
                    return try await group.reduce(into: []) { $0.insert($1) }
                }
            }
            #expect(statuses == [401, 429])
            #expect(try await status("2001:db8:1:3::1") == 401)
        }
    }

    /// Missing keys are limited as wrong ones are; who has a good key, or gets one, never waits for that.
    @Test(.enabled(if: TestDatabase.isAvailable)) func whoAsksWithoutAKeyIsLimitedAndKeepsNobodyOut() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            var statuses: Set<Int> = []
            for _ in 1...10 where !statuses.contains(429) {
                statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...60 { group.addTask { try await rig.ask("/v1/lanes").status } }
                    return try await group.reduce(into: []) { $0.insert($1) }
                }
            }
            #expect(statuses == [401, 429])
            // The page still knows by it that nobody is logged in.
            let refusal = try await rig.ask("/v1/session")
            #expect([401, 429].contains(refusal.status) && refusal.headers["www-authenticate"] != nil)
            #expect(try await rig.ask("/v1/lanes", key: key).status == 200)
            let body = Data(#"{"key": "\#(key)"}"#.utf8)
            let headers = ["Content-Type": "application/json"]
            #expect(try await rig.ask("/v1/session", method: "POST", headers: headers, body: body).status == 200)
        }
    }
}
