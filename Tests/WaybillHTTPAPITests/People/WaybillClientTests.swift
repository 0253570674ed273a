import Foundation
import Synchronization
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillSettings

@testable import WaybillClient
@testable import WaybillHTTPAPI

/// The library for apps, with a real server.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct WaybillClientTests {
    @Test func anAppLogsInIsToldAndReads() async throws {
        try await NoticeRig.run { rig in
            let kept = Mutex<[WaybillSession?]>([])
            let server = try #require(URL(string: "http://127.0.0.1:\(rig.api.port)"))
            let client = WaybillClient(server: server) { session in kept.withLock { $0.append(session) } }
            await #expect(throws: WaybillError.self) { _ = try await client.notifications() }
            await #expect(throws: WaybillError.self) { try await client.logIn(name: "ada.l", password: "wrong one") }
            try await client.logIn(name: "ada.l", password: "correct horse", device: "phone")
            let device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E11"
            let token = Data(repeating: 0xAB, count: 32)
            try await client.registerDevice(id: device, token: token, tags: ["staff", "night"], locale: "cs-CZ")
            let registered = try rig.api.documents("devices").first
            #expect(registered?["tags"]?.elements?.compactMap(\.string) == ["night", "staff"])
            #expect(registered?["locale"]?.string == "cs-CZ")
            // What is not said stays; an empty list takes them away.
            try await client.registerDevice(id: device, token: token)
            #expect(try rig.api.documents("devices").first?["tags"]?.elements?.count == 2)
            try await client.registerDevice(id: device, token: token, tags: [])
            #expect(try rig.api.documents("devices").first?["tags"]?.elements?.isEmpty == true)
            let sent = try await rig.send(try rig.key([.notify]), ["level": "info", "body": "Done"])
            #expect(try rig.messages().first?["device_tokens"] as? [String] == [String(repeating: "ab", count: 32)])
            let page = try await client.notifications(unreadOnly: true)
            let first = try #require(page.notifications.first)
            #expect(first.id == sent.json["id"] as? String)
            #expect((first.body, first.receipt?.state) == ("Done", "queued"))
            try await client.markRead(first.id)
            try await client.acknowledge(first.id)
            #expect(try await client.notifications(unreadOnly: true).notifications.isEmpty)
            #expect(try await client.notifications().notifications.first?.receipt?.acknowledgedAt != nil)

            // Of a session whose access token is no good any more, calls at the same time renew it once.
            let session = try #require(await client.session)
            let stale = try stale(session)
            let renewing = WaybillClient(server: server, session: stale) { session in
                kept.withLock { $0.append(session) }
            }
            let before = kept.withLock { $0.count }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await renewing.notifications() } }
                try await group.waitForAll()
            }
            #expect(kept.withLock { $0.count } == before + 1)
            try await renewing.removeDevice(id: device)
            try await renewing.logOut()
            #expect(kept.withLock { $0.last == .some(nil) })
            // The session has ended on the server.
            await #expect(throws: WaybillError.self) { _ = try await client.notifications() }
        }
    }

    /// An Android phone's app registers as what FCM knows it by; a server that reaches none says so.
    @Test func anAppOfAndroidRegisters() async throws {
        let device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E12"
        let installation = WaybillDeviceToken.fcmInstallation("cXyZ0123456789abcdefgh")
        try await NoticeRig.run(fcm: .init(project: "acme-parcels", lane: "android")) { rig in
            let client = WaybillClient(server: try #require(URL(string: "http://127.0.0.1:\(rig.api.port)")))
            try await client.logIn(name: "ada.l", password: "correct horse")
            try await client.registerDevice(id: device, token: .fcm("T:one"), tags: ["staff"])
            let first = try #require(try rig.api.documents("devices").first)
            #expect(first["provider"]?.string == "fcm" && first["kind"]?.string == "token")
            #expect(first["token"]?.string == "T:one" && first["app"]?.string == "acme-parcels")
            try await client.registerDevice(id: device, token: installation)
            let kinds = try rig.api.documents("devices").map { ($0["kind"]?.string ?? "", $0["enabled"]) }
            #expect(kinds.contains { $0 == ("installation", .bool(true)) } && kinds.count == 2)
        }
        try await NoticeRig.run { rig in
            let client = WaybillClient(server: try #require(URL(string: "http://127.0.0.1:\(rig.api.port)")))
            try await client.logIn(name: "ada.l", password: "correct horse")
            do {
                try await client.registerDevice(id: device, token: installation)
                Issue.record("a phone that is not reached was registered")
            } catch WaybillError.problem(let status, let detail, _) {
                #expect(status == 400 && detail.contains("it sends to those of apns"))
            }
        }
    }

    @Test func anAppHearsWhatChanges() async throws {
        try await NoticeRig.run { rig in
            let client = WaybillClient(server: try #require(URL(string: "http://127.0.0.1:\(rig.api.port)")))
            await #expect(throws: WaybillError.self) { for try await _ in client.events() {} }
            try await client.logIn(name: "ada.l", password: "correct horse")
            // A token that has ended earlier than its time is renewed.
            let renewing = WaybillClient(
                server: try #require(URL(string: "http://127.0.0.1:\(rig.api.port)")),
                session: try refused(try #require(await client.session))
            )
            var events = renewing.events(after: "forged").makeAsyncIterator()
            #expect(try await events.next()?.name == "reset")
            let key = try rig.key([.notify])
            let id = try #require(try await rig.send(key, ["level": "info", "body": "Done"]).json["id"] as? String)
            let told = try #require(try await events.next())
            #expect(told.name == "notification" && String(decoding: told.data, as: UTF8.self).contains(id))
            try await renewing.acknowledge(id)
            var later = renewing.events(after: told.id).makeAsyncIterator()
            #expect(try await later.next()?.name == "acknowledged")
        }
    }

    @Test func eventsAreReadHoweverTheirBytesAreCut() {
        let text =
            "retry: 3000\n\n:\n\nid: a\r\nevent: read\r\ndata: {\r\ndata:}\r\n\r\nevent: reset\ndata: {\"a\":\"ž: b\"}\n\nid: x\n"
        for size in [1, 2, 7, text.utf8.count] {
            var lines = EventLines()
            let bytes = Array(text.utf8)
            let events = stride(from: 0, to: bytes.count, by: size).flatMap { start in
                lines.take(Data(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(events.map(\.name) == ["read", "reset"] && events.map(\.id) == ["a", nil])
            #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["{\n}", #"{"a":"ž: b"}"#])
        }
    }

    /// As it is kept, with an access token that nobody takes.
    private func refused(_ session: WaybillSession) throws -> WaybillSession {
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(session)) as? [String: Any]
        )
        object["accessToken"] = "none"
        return try JSONDecoder().decode(WaybillSession.self, from: JSONSerialization.data(withJSONObject: object))
    }

    /// As it is kept, with an access token that has ended.
    private func stale(_ session: WaybillSession) throws -> WaybillSession {
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(session)) as? [String: Any]
        )
        object["accessExpires"] = 0
        return try JSONDecoder().decode(WaybillSession.self, from: JSONSerialization.data(withJSONObject: object))
    }
}
