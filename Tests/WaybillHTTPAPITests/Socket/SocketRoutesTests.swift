import Foundation
import HTTPTypes
import Testing
import WaybillAccounts
import WaybillSettings
import WaybillTestSupport

@testable import WaybillHTTPAPI

/// What changes for an account, over a WebSocket, with a server and without one behind it.
@Suite(.timeLimit(.minutes(2)))
struct SocketRoutesTests {
    private static let upgrade = [
        "Host: localhost", "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private static func request(
        _ line: String = "GET /v1/socket",
        version: String = "1.1",
        without name: String = "-",
        _ field: String? = nil,
        more: String? = nil
    ) -> String {
        let fields = upgrade.filter { !$0.hasPrefix("\(name):") } + [field, more].compactMap(\.self)
        return "\(line) HTTP/\(version)\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    private final class Socket {
        let client: RawClient

        init(_ port: Int, _ first: String?) async throws {
            client = try RawClient(port: port)
            client.send(SocketRoutesTests.request())
            #expect(try await client.reads("\r\n\r\n"))
            if let first { say(first) }
        }

        func say(_ text: String) { client.send(SocketFrame.text(text)) }

        func identify(_ token: String, after id: String? = nil) {
            say(#"{"op":"identify","token":"\#(token)"\#(id.map { #","last_event_id":"\#($0)""# } ?? "")}"#)
        }

        var sent: [SocketFrame.Sent] {
            client.receive()
            guard let end = client.bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
            return SocketFrame.read(client.bytes[end.upperBound...])
        }

        var messages: [[String: Any]] {
            sent.filter { $0.opcode == 1 }.compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.data)) as? [String: Any]
            }
        }

        var events: [String] { messages.compactMap { $0["event"] as? String } }
        var code: Int? { sent.last?.code }
    }

    @Test func theHandshakeIsAsTheRFCHasIt() async throws {
        try await APIRig.runWithAccounts { rig in
            let socket = try await Socket(rig.port, nil)
            #expect(socket.client.text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            let fields = socket.client.text.lowercased()
            // Of RFC 6455, 1.3.
            #expect(socket.client.text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
            #expect(fields.contains("\r\nupgrade: websocket\r\n") && fields.contains("\r\nconnection: upgrade\r\n"))
            #expect(!fields.contains("content-length") && !fields.contains("transfer-encoding"))
            #expect(rig.lines().contains { $0.contains("api.request") && $0.contains(#""status":"101""#) })
        }
    }

    private static let asked: [(request: String, status: String)] = [
        (request(without: "Upgrade"), "426"), (request(without: "Connection"), "426"),
        (request(without: "Upgrade", "Upgrade: h2c"), "426"), (request(without: "Sec-WebSocket-Version"), "426"),
        (request(without: "Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"), "426"),
        (request(without: "Sec-WebSocket-Key"), "400"),
        (request(without: "Sec-WebSocket-Key", "Sec-WebSocket-Key: a"), "400"),
        (request(more: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), "400"),
        (request("GET /v1/socket?token=a"), "400"),
        (request(more: "Origin: https://evil.example"), "403"), (request(more: "Origin: http://localhost"), "101"),
        (request(more: "Origin: https://localhost"), "403"), (request(more: "Sec-Fetch-Site: cross-site"), "403"),
        (request(more: "Origin: null"), "403"), (request(version: "1.0"), "426"), (request("POST /v1/socket"), "405"),
        (request("HEAD /v1/socket"), "426"),
        // Nothing else speaks anything but HTTP.
        (request("GET /v1/account"), "401"),
    ]

    @Test(arguments: asked)
    func whatIsNoHandshakeIsRefused(request: String, wanted: String) async throws {
        try await APIRig.runWithAccounts { rig in
            let client = try RawClient(port: rig.port)
            client.send(request)
            #expect(try await client.reads("\r\n\r\n"))
            #expect(client.text.hasPrefix("HTTP/1.1 \(wanted) "), "\(client.text)")
            if wanted == "426" { #expect(client.text.contains("Upgrade: websocket\r\n")) }
        }
    }

    @Test(arguments: [
        (#"{"op":"heartbeat"}"#, 4400), ("hello", 4400), (#"{"op":"identify","token":"no-token-of-ours"}"#, 4401),
    ])
    func whoDoesNotSayWhoItIsIsClosed(first: String, code: Int) async throws {
        try await APIRig.runWithAccounts { rig in
            let socket = try await Socket(rig.port, first)
            #expect(try await socket.client.reads { _ in socket.code == code })
            socket.client.send(SocketFrame.close(1000))
            #expect(try await socket.client.readsEnd())
            #expect(!socket.client.text.contains("no-token-of-ours"))
        }
    }

    @Test func aServerThatEndsSaysSo() async throws {
        var socket: Socket?
        try await APIRig.runWithAccounts { rig in socket = try await Socket(rig.port, nil) }
        #expect(try #require(socket).code == 1001)
    }

    @Test(.enabled(if: NoticeRig.isPossible)) func whatChangesIsToldAndWhatWasMissedToo() async throws {
        try await NoticeRig.run { rig in
            let socket = try await Socket(rig.api.port, nil)
            socket.identify(rig.ada.access)
            try await NoticeRig.until { socket.events == ["ready"] }
            #expect((socket.messages[0]["data"] as? [String: String])?["session"] == rig.ada.id)
            let key = try rig.key([.notify])
            let id = try #require(try await rig.send(key, ["level": "info", "body": "Done"]).json["id"] as? String)
            socket.say(#"{"op":"heartbeat"}"#)
            try await NoticeRig.until { Set(socket.events) == ["ready", "heartbeat", "notification"] }
            let told = try #require(socket.messages.first { $0["event"] as? String == "notification" })
            #expect((told["data"] as? [String: Any])?["notification"] as? String == id)
            let place = try #require(told["id"] as? String)
            socket.identify(rig.ada.access)
            try await NoticeRig.until { socket.code == 4400 }

            // Missed over one kind of stream, it is told over the other.
            #expect(
                try await rig.people.ask("PUT", "/v1/notifications/\(id)/acknowledged", token: rig.ada.access).status
                    == 200
            )
            let again = try await Socket(rig.api.port, nil)
            again.identify(rig.ada.access, after: place)
            try await NoticeRig.until { again.events == ["ready", "acknowledged"] }
            let events = try RawClient(port: rig.api.port)
            events.ask("/v1/events", key: rig.ada.access, headers: ["Last-Event-ID": place])
            #expect(try await events.reads("event: acknowledged"))

            let forged = try await Socket(rig.api.port, nil)
            forged.identify(rig.eve.access, after: "forged")
            try await NoticeRig.until { forged.events == ["ready", "reset"] }
            #expect(rig.api.server.events?.listeners(.webSocket) == 2)
        }
    }

    /// Both kinds of streams together have the account's places, and give them back.
    @Test(.enabled(if: NoticeRig.isPossible)) func theFifthStreamOfAnAccountIsRefused() async throws {
        try await NoticeRig.run { rig in
            var sockets: [Socket] = []
            for _ in 0..<2 {
                let socket = try await Socket(rig.api.port, nil)
                socket.identify(rig.ada.access)
                try await NoticeRig.until { socket.events == ["ready"] }
                sockets.append(socket)
            }
            let streams = try (0..<2).map { _ in try RawClient(port: rig.api.port) }
            for stream in streams {
                stream.ask("/v1/events", key: rig.ada.access)
                #expect(try await stream.reads("retry:"))
            }
            let refused = try await rig.api.ask("/v1/events", key: rig.ada.access)
            #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
            #expect((refused.json["detail"] as? String)?.contains("an account has 4 streams") == true)
            let fifth = try await Socket(rig.api.port, nil)
            fifth.identify(rig.ada.access)
            try await NoticeRig.until { fifth.code == 4429 }
            #expect(fifth.sent.last?.text.contains("an account has 4 streams") == true)
            // Another account has its own.
            let other = try await Socket(rig.api.port, nil)
            other.identify(rig.eve.access)
            try await NoticeRig.until { other.events == ["ready"] }
            sockets[0].client.close()
            try await NoticeRig.until { rig.api.server.places.count == 4 }
            let next = try await Socket(rig.api.port, nil)
            next.identify(rig.ada.access)
            try await NoticeRig.until { next.events == ["ready"] }
        }
    }

    @Test func allStreamsTogetherHaveALimitOfTheirOwn() throws {
        let places = StreamPlaces()
        var taken: [StreamPlace] = []
        for number in 0..<24 {
            for _ in 0..<4 { taken.append(try places.take(account: "acc_\(number)", from: "10.\(number).0.1")) }
        }
        let problem = #expect(throws: Problem.self) { _ = try places.take(account: "acc_a", from: "10.99.0.1") }
        #expect(problem?.status == .serviceUnavailable && problem?.detail.contains("96 streams") == true)
        #expect(problem.map { SocketClose($0).code } == .tryLater)
        // Operators have places of their own.
        for number in 0..<8 { for _ in 0..<4 { taken.append(try places.take("key\(number)")) } }
        #expect(throws: Problem.self) { _ = try places.take("another") }
        #expect(places.count == 128)
        taken.removeLast()
        #expect(throws: Never.self) { _ = try places.take("another") }
        taken.removeAll()
        #expect(places.count == 0)
    }

    /// 32 accounts of one network leave places to people elsewhere.
    @Test(arguments: [
        (24, "192.0.2.7"), (48, "192.0.2.#"), (72, "192.0.#.7"), (24, "20010db800010203"), (72, "20010db8#00000"),
    ])
    func aNetworkHasAShareOfTheStreams(most: Int, address: String) {
        let places = StreamPlaces()
        var taken: [StreamPlace] = []
        var refusal: Problem?
        for number in 0..<32 {
            for _ in 0..<4 {
                do throws(Problem) {
                    let place = address.replacing("#", with: "\(100 + number)")
                    taken.append(try places.take(account: "acc_\(number)", from: place))
                } catch {
                    refusal = error
                }
            }
        }
        #expect(taken.count == most)
        #expect(refusal?.status == .tooManyRequests)
        #expect(throws: Never.self) { _ = try places.take(account: "acc_elsewhere", from: "198.51.100.7") }
    }
}
