import Foundation
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillSettings

@testable import WaybillHTTPAPI

/// A person with phones of both kinds, over real sockets.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct AndroidPhoneTests {
    private static let fcm = NotifireServiceSettings.FCM(project: "acme-parcels", lane: "android", testLane: "trial")
    private static let token = "Token-One:APA91bEXAMPLE"
    private static let installation = "cXyZ0123456789abcdefgh"

    private static let kindWords =
        "token_kind is installation for a token of this form: 22 characters, of which the first is c, d, e or f"

    private static func path(_ number: Int) -> String {
        "/v1/account/devices/5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E1\(number)"
    }

    private static let android = ["provider": "fcm", "token": token]

    /// Where nothing of Android is configured, nobody waits for pushes that cannot come.
    @Test func aPhoneThatIsNotReachedIsRefused() async throws {
        try await NoticeRig.run { rig in
            let answer = try await rig.people.ask("PUT", Self.path(0), Self.android, token: rig.ada.access)
            #expect(answer.status == 400)
            let words = "provider is none to whose phones this server sends; it sends to those of apns"
            #expect(answer.json["detail"] as? String == words, "\(answer.text)")
            #expect(try rig.api.documents("devices").isEmpty)
        }
    }

    @Test func aTokenIsOfItsPushService() async throws {
        try await NoticeRig.run(fcm: Self.fcm) { rig in
            let refused: [([String: String], String)] = [
                (
                    ["provider": "apns", "token": Self.token],
                    "token is no token of apns: one has 2 to 400 hexadecimal digits, an even number of them"
                ),
                (
                    ["provider": "apns", "token": NoticeRig.token, "token_kind": "installation"],
                    "token is no installation of apns: there are tokens alone"
                ),
                (
                    ["provider": "fcm", "token": "a b"],
                    "token is no token of fcm: one has 1 to 4096 visible ASCII characters"
                ),
                (
                    ["provider": "fcm", "token": "x", "token_kind": "installation"],
                    "token is no installation of fcm: one has 22 letters, digits, hyphens and underscores, "
                        + "the first of them c, d, e or f"
                ),
                (["provider": "fcm", "token": "x", "token_kind": "fid"], "token_kind is token or installation"),
                (["provider": "fcm", "token": Self.installation], Self.kindWords),
                (["provider": "fcm", "token": Self.installation, "token_kind": "token"], Self.kindWords),
                (
                    ["provider": "hms", "token": "x"],
                    "provider is none to whose phones this server sends; it sends to those of apns and fcm"
                ),
            ]
            for (body, words) in refused {
                let answer = try await rig.people.ask("PUT", Self.path(0), body, token: rig.ada.access)
                #expect(answer.status == 400 && answer.json["detail"] as? String == words, "\(answer.text)")
            }
            #expect(try rig.api.documents("devices").isEmpty)
        }
    }

    /// Whoever registers somebody's installation id, and does not say what it is, makes no token of it.
    @Test func anInstallationStaysOne() async throws {
        try await NoticeRig.run(fcm: Self.fcm) { rig in
            let own = ["provider": "fcm", "token": Self.installation, "token_kind": "installation"]
            #expect(try await rig.people.ask("PUT", Self.path(0), own, token: rig.ada.access).status == 204)
            let theirs = ["provider": "fcm", "token": Self.installation]
            let answer = try await rig.people.ask("PUT", Self.path(1), theirs, token: rig.eve.access)
            #expect(answer.status == 400 && answer.json["detail"] as? String == Self.kindWords, "\(answer.text)")
            #expect(try rig.api.documents("devices").map { $0["kind"]?.string } == ["installation"])
        }
    }

    private func register(_ rig: NoticeRig) async throws {
        let bodies = [
            ["token": NoticeRig.token], Self.android,
            ["provider": "fcm", "token": Self.installation, "token_kind": "installation"],
        ]
        for (number, body) in bodies.enumerated() {
            let answer = try await rig.people.ask("PUT", Self.path(number), body, token: rig.ada.access)
            #expect(answer.status == 204, "\(answer.text)")
        }
    }

    @Test func allOfAPersonsPhonesAreTold() async throws {
        try await NoticeRig.run(fcm: Self.fcm) { rig in
            try await register(rig)
            let listed = try await rig.people.ask("GET", "/v1/account/devices", token: rig.ada.access)
            let devices = try #require(listed.json["devices"] as? [[String: Any]])
            #expect(devices.compactMap { $0["provider"] as? String }.sorted() == ["apns", "fcm", "fcm"])
            #expect(Set(devices.compactMap { $0["app"] as? String }) == [NoticeRig.app, "acme-parcels"])

            let key = try rig.key([.notify, .read])
            let sent = try await rig.send(key, ["level": "error", "body": "Down", "data": ["n": 1]], name: "\"a\"")
            #expect(sent.status == 202)
            let messages = try rig.messages()
            #expect(messages.map { $0["lane"] as? String } == ["parcels", "android", "android"])
            #expect(
                messages.map { $0["device_tokens"] as? [String] }
                    == [[NoticeRig.token], [Self.token], [Self.installation]]
            )
            let id = try #require(sent.json["id"] as? String)
            #expect(messages.allSatisfy { $0["batch_id"] as? String == id })
            let document = try #require(try rig.api.documents("notifications").first)
            #expect((document["devices"]?.int, document["fcm_lane"]?.string) == (3, "android"))
            let client = try rig.api.pool.pop()
            defer { rig.api.pool.push(client) }
            let said = try SaidLookUp(client: client, database: rig.api.database, clients: nil).notification(id)
            #expect(said?.lanes == ["parcels", "android"] && said?.devices == 3)
            // Asked twice it is one.
            let again = try await rig.send(key, ["level": "error", "body": "Down", "data": ["n": 1]], name: "\"a\"")
            #expect(again.json["id"] as? String == id)
            #expect(try rig.messages().isEmpty)

            // Read on the iPhone, it is taken away from the others.
            let read = try await rig.people.ask(
                "PUT",
                "/v1/notifications/\(id)/read",
                ["device": "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"],
                token: rig.ada.access
            )
            #expect(read.status == 200)
            var hidden: [[String: Any]] = []
            try await NoticeRig.until {
                hidden += try rig.messages()
                return hidden.count == 2
            }
            #expect(hidden.allSatisfy { $0["lane"] as? String == "android" })
            #expect(hidden.allSatisfy { $0["delivery_type"] as? String == "silent" })

            // What she does not want to be told of comes to none of her phones.
            #expect(try await rig.send(key, ["level": "warning", "body": "Slow"]).status == 202)
            #expect(try rig.messages().isEmpty)

            // A phone that is logged out hears nothing.
            #expect(try await rig.people.ask("DELETE", Self.path(1), token: rig.ada.access).status == 204)
            #expect(try await rig.send(key, ["level": "error", "body": "Up"]).status == 202)
            #expect(
                try rig.messages().map { $0["device_tokens"] as? [String] }
                    == [[NoticeRig.token], [Self.installation]]
            )
        }
    }

    @Test func whatTestKeysSayGoesToTheirLanes() async throws {
        for (fcm, lanes) in [
            (Self.fcm, ["rehearsal", "trial", "trial"]),
            (NotifireServiceSettings.FCM(project: "acme-parcels", lane: "android"), ["rehearsal"]),
        ] {
            try await NoticeRig.run(fcm: fcm) { rig in
                try await register(rig)
                let key = try rig.key([.notify], kind: .test)
                #expect(try await rig.send(key, ["level": "error", "body": "Down"]).status == 202)
                #expect(try rig.messages().map { $0["lane"] as? String } == lanes)
                #expect(try rig.api.documents("notifications").first?["devices"]?.int == Int64(lanes.count))
            }
        }
    }
}
