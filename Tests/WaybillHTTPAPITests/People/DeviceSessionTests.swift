import Foundation
import Testing
import WaybillAccounts
import WaybillMongo

@testable import WaybillHTTPAPI

/// A phone is told as long as the session lasts in which it was registered, over real sockets.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct DeviceSessionTests {
    private static let path = "/v1/account/devices/5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"

    private func isTold(_ rig: NoticeRig) throws -> Bool {
        let links = try rig.api.documents("device_links")
        #expect(links.count == 1)
        return links.first?["enabled"] == .bool(true)
    }

    @Test func aSessionTakesItsPhoneAlong() async throws {
        try await NoticeRig.run { rig in
            let body = ["token": NoticeRig.token]
            let other = try await rig.people.session()
            #expect(try await rig.people.ask("PUT", Self.path, body, token: rig.ada.access).status == 204)
            #expect(try rig.api.documents("device_links").first?["login"]?.string == rig.ada.id)
            #expect(try isTold(rig))
            let end = "/v1/account/sessions/\(rig.ada.id)"
            #expect(try await rig.people.ask("DELETE", end, token: other.access).status == 204)
            #expect(try !isTold(rig))
            // The phone's app logs in again.
            #expect(try await rig.people.ask("PUT", Self.path, body, token: other.access).status == 204)
            #expect(try isTold(rig))
            let change = ["password": "correct horse", "new_password": "battery staple"]
            let changed = try await rig.people.ask("PUT", "/v1/account/password", change, token: other.access)
            #expect(changed.status == 200)
            #expect(try isTold(rig))
            let reset = ["email": "ada@example.com"]
            #expect(try await rig.people.ask("POST", "/v1/account/password-reset", reset).status == 202)
            let token = try #require(try rig.people.mails().last { $0.recipient == "ada@example.com" }?.token)
            for (password, status) in [("ada@example.com", 400), ("another staple", 204)] {
                let members = ["token": token, "password": password]
                let answer = try await rig.people.ask("PUT", "/v1/account/password-reset", members)
                #expect(answer.status == status, "\(password)")
            }
            #expect(try !isTold(rig))
        }
    }

    /// Who knows somebody's token puts nobody out, whatever they are answered.
    @Test func aTokenThatAnotherPersonSaysStaysItsOwners() async throws {
        try await NoticeRig.run { rig in
            let own = String(repeating: "b", count: 64)
            let eves = "/v1/account/devices/7B1E0C52-9C3D-4F0A-8D21-6E5F4A3B2C1D"
            func put(_ path: String, _ token: String, _ session: PeopleRig.Session) async throws -> Int {
                try await rig.people.ask("PUT", path, ["token": token], token: session.access).status
            }
            func isEnabled(_ session: PeopleRig.Session) async throws -> [Bool?] {
                let answer = try await rig.people.ask("GET", "/v1/account/devices", token: session.access)
                return (answer.json["devices"] as? [[String: Any]] ?? []).map { $0["enabled"] as? Bool }
            }
            #expect(try await put(Self.path, NoticeRig.token, rig.ada) == 204)
            #expect(try await put(eves, own, rig.eve) == 204)
            let taken = try await put(eves, NoticeRig.token, rig.eve)
            #expect(taken == 204)
            let adas = try await isEnabled(rig.ada)
            let hers = try await isEnabled(rig.eve)
            #expect(adas == [true] && hers == [true])
            let token = try #require(
                try rig.api.documents("devices").first { $0["token"]?.string == NoticeRig.token }
            )
            #expect(token["enabled"] == .bool(true) && token["history"] == nil)
            // The own one again: Ada is told at hers as before.
            let back = try await put(eves, own, rig.eve)
            let left = try await isEnabled(rig.ada)
            #expect(back == 204 && left == [true])
            // And Ada ends it for herself alone.
            let gone = try await rig.people.ask("DELETE", Self.path, token: rig.ada.access).status
            let (adasNow, hersNow) = (try await isEnabled(rig.ada), try await isEnabled(rig.eve))
            #expect(gone == 204 && adasNow == [false] && hersNow == [true])
        }
    }

    private func register(_ rig: NoticeRig, _ tags: Any?, by session: PeopleRig.Session) async throws -> Int {
        var body: [String: Any] = ["token": NoticeRig.token]
        body["tags"] = tags
        return try await rig.people.ask("PUT", Self.path, body, token: session.access).status
    }

    /// Of each device that somebody has, or has had.
    private func tags(_ rig: NoticeRig, of session: PeopleRig.Session) async throws -> [[String]?] {
        let answer = try await rig.people.ask("GET", "/v1/account/devices", token: session.access)
        let devices = try #require(answer.json["devices"] as? [[String: Any]])
        return devices.map { $0["tags"] as? [String] }
    }

    /// An app tags its device, so that audiences select by that, and reads it again; somebody who has logged out reads nothing of it.
    @Test func anAppTagsItsDevice() async throws {
        let refused: [Any] = ["staff", [""], [7], [String(repeating: "x", count: 65)], (0..<65).map { "\($0)" }]
        try await NoticeRig.run { rig in
            let first = try await register(rig, ["staff", "two words", "Größe"], by: rig.ada)
            #expect(first == 204)
            let all = try await tags(rig, of: rig.ada)
            #expect(all == [["Größe", "staff", "two words"]])
            // What is not said stays.
            let again = try await register(rig, nil, by: rig.ada)
            let same = try await tags(rig, of: rig.ada)
            #expect(again == 204 && same == all)
            for wrong in refused {
                let status = try await register(rig, wrong, by: rig.ada)
                #expect(status == 400, "\(wrong)")
            }
            let end = "/v1/account/sessions/\(rig.ada.id)"
            #expect(try await rig.people.ask("DELETE", end, token: rig.ada.access).status == 204)
            let others = try await register(rig, ["guest"], by: rig.eve)
            let theirs = try await tags(rig, of: rig.eve)
            #expect(others == 204 && theirs == [["guest"]])
            let former = try await tags(rig, of: try await rig.people.session())
            #expect(former == [nil])
            let none = try await register(rig, [String](), by: rig.eve)
            let left = try await tags(rig, of: rig.eve)
            #expect(none == 204 && left == [[]])
        }
    }

    /// The list has the key that owners read again by the thesis' API, and it ends there, too.
    @Test func theKeyOfTheThesisAPIIsListed() async throws {
        try await NoticeRig.run { rig in
            let keys = "/v1/services/\(rig.service)/keys"
            func listed() async throws -> [[String: Any]] {
                let answer = try await rig.people.ask("GET", keys, token: rig.ada.access)
                #expect(answer.status == 200)
                return try #require(answer.json["keys"] as? [[String: Any]])
            }
            _ = try rig.key([.notify])
            let found = try await listed()
            #expect(found.count == 2)
            #expect(found.last?["id"] as? String == ServiceKeyStore.derivedID)
            #expect(found.last?["state"] as? String == "live")
            let derived = "\(keys)/\(ServiceKeyStore.derivedID)"
            #expect(try await rig.people.ask("DELETE", derived, token: rig.eve.access).status == 404)
            #expect(try await rig.people.ask("DELETE", derived, token: rig.ada.access).status == 204)
            #expect(try await listed().count == 1)
        }
    }
}
