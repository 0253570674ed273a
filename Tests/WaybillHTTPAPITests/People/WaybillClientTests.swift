import Foundation
import Synchronization
import Testing
import WaybillAccounts
import WaybillClient

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
            try await client.registerDevice(id: device, token: Data(repeating: 0xAB, count: 32), locale: "cs-CZ")
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

    /// As it is kept, with an access token that has ended.
    private func stale(_ session: WaybillSession) throws -> WaybillSession {
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(session)) as? [String: Any]
        )
        object["accessExpires"] = 0
        return try JSONDecoder().decode(WaybillSession.self, from: JSONSerialization.data(withJSONObject: object))
    }
}
