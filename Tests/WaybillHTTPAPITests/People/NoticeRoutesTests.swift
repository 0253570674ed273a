import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillTestSupport
import WaybillThreads

@testable import WaybillHTTPAPI

/// Sending with a key, and reading as a person, with a real store and a real broker.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct NoticeRoutesTests {
    private static let device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"

    @Test func fromTheKeyToThePhoneAndBack() async throws {
        try await NoticeRig.run { rig in
            let path = "/v1/account/devices/\(Self.device)"
            let registration = ["token": NoticeRig.token, "locale": "cs-CZ", "time_zone": "Europe/Prague"]
            #expect(try await rig.people.ask("PUT", path, registration, token: rig.ada.access).status == 204)
            let key = try rig.key([.notify, .read])
            let sent = try await rig.send(
                key,
                [
                    "level": "error", "title": "Disk", "body": "It is full", "url": "https://example.com/1",
                    "collapse_id": "disk", "ttl": 60, "data": ["host": "a1"],
                ]
            )
            #expect(sent.status == 202)
            let id = try #require(sent.json["id"] as? String)
            #expect(sent.headers["location"] == "/v1/notifications/\(id)")
            let message = try #require(try rig.messages().first)
            #expect(message["batch_id"] as? String == id)
            #expect(message["lane"] as? String == "parcels")
            #expect(message["device_tokens"] as? [String] == [NoticeRig.token])
            #expect((message["collapse_id"] as? String)?.utf8.count == 64)
            #expect(message["expiration"] is Int)
            let payload = try #require(message["payload"] as? [String: Any])
            let aps = try #require(payload["aps"] as? [String: Any])
            #expect(aps["interruption-level"] as? String == "time-sensitive")
            #expect(aps["sound"] as? String == "default")
            #expect((aps["alert"] as? [String: String]) == ["title": "Disk", "body": "It is full"])
            #expect((payload["data"] as? [String: String]) == ["host": "a1"])
            #expect((payload["notification"] as? [String: Any])?["id"] as? String == id)

            try await NoticeRig.until {
                try await rig.api.ask("/v1/notifications/\(id)", key: key).json["state"] as? String == "queued"
            }
            // Nothing of it is recorded: it waits in the broker.
            let reader = try rig.api.key(.reader).text
            for path in ["/v1/explain?batch=\(id)", "/v1/batches/\(id)"] {
                let told = try await rig.api.ask(path, key: reader)
                let now = (told.json["now"] as? [String])?.first ?? ""
                #expect(now.hasPrefix("It is a notification of a service, handed over at 20"), "\(told.text)")
                #expect(now.contains(" for 1 device; nothing is recorded yet: it waits in the broker, or in"))
                #expect(!told.text.contains("Is it an apns-id?"))
            }
            // Its id has the form of an apns-id, and whoever has it may not know that it is none.
            let whole = try await rig.api.ask("/v1/explain?apns_id=\(id)", key: reader)
            let batch = try #require(whole.json["batch"] as? [String: Any])
            #expect((whole.json["notifications"] as? [Any])?.isEmpty == true && batch["batch_id"] as? String == id)
            let said = (batch["now"] as? [String]) ?? []
            #expect(said.first?.hasPrefix("It is a notification of a service, handed over at 20") == true)
            #expect(
                said.contains { $0.contains("with the level error, stored at 20") && $0.hasSuffix("for 1 person.") }
            )
            let stranger = try rig.api.key(.reader, .only(["other"])).text
            #expect(try await rig.api.ask("/v1/batches/\(id)", key: stranger).status == 404)
            let hidden = try await rig.api.ask("/v1/explain?apns_id=\(id)", key: stranger)
            let unknown = try await rig.api.ask("/v1/explain?apns_id=\(Self.device)", key: stranger)
            #expect(hidden.status == 200 && hidden.text == unknown.text)
            try rig.api.record(
                try #require(NotificationID(id)),
                client: "notifire",
                token: NoticeRig.token,
                batch: id
            )
            // Another client's record under the same name is none of this notification's.
            try rig.api.record(try #require(NotificationID(Self.device)), client: "other", batch: id)
            let state = try await rig.api.ask("/v1/notifications/\(id)?include=deliveries", key: key)
            #expect(state.json["state"] as? String == "done")
            #expect((state.json["outcomes"] as? [String: Int]) == ["accepted": 1])
            let deliveries = try #require(state.json["deliveries"] as? [[String: Any]])
            #expect(deliveries.count == 1)
            #expect(!state.text.contains(NoticeRig.token))

            let list = try await rig.people.ask("GET", "/v1/notifications", token: rig.ada.access)
            let first = try #require((list.json["data"] as? [[String: Any]])?.first)
            #expect((first["receipt"] as? [String: String]) == ["state": "queued"])
            for word in ["read", "acknowledged"] {
                let mark = "/v1/notifications/\(id)/\(word)"
                let marked = try await rig.people.ask("PUT", mark, token: rig.ada.access)
                #expect(marked.status == 200)
                let time = try #require(marked.json["\(word)_at"] as? String)
                let again = try await rig.people.ask("PUT", mark, token: rig.ada.access)
                #expect(again.json["\(word)_at"] as? String == time)
                // A stranger learns nothing.
                #expect(try await rig.people.ask("PUT", mark, token: rig.eve.access).status == 404)
            }
            #expect(try await rig.people.ask("GET", "/v1/notifications/\(id)", token: rig.eve.access).status == 404)
            let hers = try await rig.people.ask("GET", "/v1/notifications", token: rig.eve.access)
            #expect((hers.json["data"] as? [Any])?.isEmpty == true)
            let unread = try await rig.people.ask("GET", "/v1/notifications?unread=true", token: rig.ada.access)
            #expect((unread.json["data"] as? [Any])?.isEmpty == true)
            let export = try await rig.people.ask("GET", "/v1/account/export", token: rig.ada.access)
            #expect((export.json["notifications"] as? [[String: Any]])?.first?["id"] as? String == id)

            // Nobody takes a device by guessing its id.
            let stolen = ["token": String(repeating: "ab", count: 32)]
            #expect(try await rig.people.ask("PUT", path, stolen, token: rig.eve.access).status == 409)
            #expect(try await rig.people.ask("DELETE", path, token: rig.eve.access).status == 404)
            #expect(try await rig.people.ask("DELETE", path, token: rig.ada.access).status == 204)
            let devices = try await rig.people.ask("GET", "/v1/account/devices", token: rig.ada.access)
            #expect((devices.json["devices"] as? [[String: Any]])?.first?["enabled"] as? Bool == false)
        }
    }

    /// The push names the address of its service's image, for the app's extension to load.
    @Test func aPushHasTheImageOfItsService() async throws {
        try await NoticeRig.run { rig in
            let path = "/v1/account/devices/\(Self.device)"
            #expect(
                try await rig.people.ask("PUT", path, ["token": NoticeRig.token], token: rig.ada.access).status == 204
            )
            let key = try rig.key([.notify])
            let body = Data(SampleImages.png)
            let image = "/v1/services/\(rig.service)/image"
            let set = try await rig.api.ask(image, key: rig.ada.access, method: "PUT", body: body)
            let address = try #require((set.json["image"] as? [String: Any])?["path"] as? String)
            #expect(try await rig.send(key, ["level": "error", "body": "It is full"]).status == 202)
            func pushed() throws -> [[String: Any]] {
                try rig.messages().compactMap { ($0["payload"] as? [String: Any])?["notification"] as? [String: Any] }
            }
            #expect(try pushed().map { $0["image"] as? String } == ["https://push.example.com\(address)"])
            #expect(try await rig.people.ask("DELETE", image, token: rig.ada.access).status == 204)
            #expect(try await rig.send(key, ["level": "error", "body": "It is full"]).status == 202)
            #expect(try pushed().last?["image"] == nil)
        }
    }

    @Test func theSameNameIsTheSameNotification() async throws {
        try await NoticeRig.run { rig in
            let key = try rig.key([.notify])
            let body = ["level": "info", "body": "Done"]
            let first = try await rig.send(key, body, name: "\"job-7\"")
            #expect(first.status == 202)
            #expect(first.headers["idempotency-replayed"] == nil)
            try await NoticeRig.until {
                try rig.api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
            }
            let again = try await rig.send(key, body, name: "job-7")
            #expect((again.status, again.text) == (202, first.text))
            #expect(again.headers["location"] == first.headers["location"])
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(try await rig.send(key, ["level": "info", "body": "Other"], name: "job-7").status == 422)
            // Another key's name is another's.
            #expect(try await rig.send(try rig.key([.notify]), body, name: "job-7").text != first.text)

            // Somebody is at it; when their time is over, it goes on with the same id and time.
            let id = try #require(first.json["id"] as? String)
            try set("notifications", id) { set in
                set.append("state", string: "claimed")
                set.append("claimed_until", date: WallClock.milliseconds() + 25_000)
            }
            let waiting = try await rig.send(key, body, name: "job-7")
            #expect(waiting.status == 409)
            #expect((1...25).contains(Int(waiting.headers["retry-after"] ?? "") ?? 0))
            try set("notifications", id) { $0.append("claimed_until", date: WallClock.milliseconds() - 1) }
            let continued = try await rig.send(key, body, name: "job-7")
            #expect((continued.status, continued.json["id"] as? String) == (202, id))
            #expect(try rig.api.documents("notifications").count == 2)

            func set(_ collection: String, _ id: String, _ change: (BSONWriter) -> Void) throws {
                try rig.api.pool.withClient { client throws(MongoError) in
                    let bulk = client.collection(database: rig.api.database, name: collection).bulk()
                    let update = BSONDocument { $0.append("$set", document: change) }
                    try bulk.updateOne(
                        filter: BSONDocument { $0.append("_id", string: id) },
                        update: update,
                        upsert: false
                    )
                    try bulk.execute().requireDurable("set")
                }
            }
        }
    }

    /// Whoever shows keys that nobody knows is told to stop, and a service at the same address goes on.
    @Test func keysThatNobodyKnowsKeepNoServiceOut() async throws {
        try await NoticeRig.run { rig in
            let (key, api) = (try rig.key([.read]), rig.api)
            var statuses: Set<Int> = []
            for _ in 1...9 where !statuses.contains(429) {
                statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<40 {
                        let unknown = KeySecret.generate(mode: .live).reveal()
                        group.addTask { try await api.ask("/v1/notifications", key: unknown).status }
                    }
                    return try await group.reduce(into: []) { $0.insert($1) }
                }
            }
            #expect(statuses.contains(429))
            #expect(try await api.ask("/v1/notifications", key: key).status == 200)
        }
    }

    @Test func whatIsNotAllowedIsRefusedAndWhoIsNotToldIsNoted() async throws {
        try await NoticeRig.run { rig in
            let key = try rig.key([.notify])
            let good: [String: Any] = ["level": "info", "body": "Done"]
            // Whatever its last character is.
            let mistyped = String(key.dropLast()) + (key.hasSuffix("x") ? "y" : "x")
            #expect(try await rig.send(mistyped, good).status == 401)
            #expect(try await rig.send(rig.ada.access, good).status == 401)
            #expect(try await rig.send(try rig.key([.read]), good).status == 403)
            #expect(try await rig.send(key, ["level": "critical", "body": "x"]).status == 403)
            #expect(try await rig.api.ask("/v1/notifications", key: key).status == 403)
            for bad: [String: Any] in [
                ["level": "loud", "body": "x"], ["level": "info"], ["level": "info", "body": ""],
                ["level": 1, "body": "x"], ["level": "info", "body": "x", "more": 1],
                ["level": "info", "body": "x", "ttl": -1], ["level": "info", "body": "x", "url": "a b"],
                ["level": "info", "body": "x", "url": "JavaScript:alert(1)"],
                ["level": "info", "body": "x", "url": "data:text/html,x"],
                ["level": "info", "body": "x", "url": "é:x"],
                ["level": "info", "body": "x", "url": "https://exa\u{202E}moc.elpm/"],
                ["level": "info", "body": "x", "url": "vbscript:x"],
                ["level": "info", "body": "x", "url": "file:///etc"],
                ["level": "info", "body": "x", "url": "view-source:javascript:1"],
                ["level": "info", "body": "x", "url": "intent:#Intent;end"],
                ["level": "info", "body": "x", "data": [1]],
                ["level": "info", "body": "x", "title": String(repeating: "x", count: 257)],
            ] {
                #expect(try await rig.send(key, bad).status == 400)
            }
            // Within 30 days, and without a zone it would be anybody's hour.
            let soon = String(TimeText.text(milliseconds: WallClock.milliseconds() + 86_400_000).prefix(16))
            // With a key of its own: the first has had its 20 requests.
            let second = try rig.key([.notify])
            let zoneless = try await rig.send(second, ["level": "info", "body": "x", "expiration": soon])
            #expect(zoneless.status == 400 && zoneless.text.contains("with Z or an offset"), "\(zoneless.text)")
            let several = try await rig.send(second, ["level": "loud", "ttl": -1, "url": "a b"])
            let errors = several.json["errors"] as? [[String: String]] ?? []
            #expect(errors.map { $0["pointer"] } == ["#/level", "#/body", "#/url", "#/ttl"], "\(several.text)")
            let large = try await rig.send(second, ["level": "info", "body": String(repeating: "x", count: 4000)])
            #expect(large.status == 413)
            #expect((large.json["detail"] as? String)?.contains("are too many") == true)
            #expect(try rig.messages().isEmpty)

            // Ada has switched warnings off: it is stored, and it is for nobody's device.
            let reader = try rig.key([.notify, .read])
            let silent = try await rig.send(reader, ["level": "warning", "body": "Slow"])
            #expect(silent.status == 202)
            let receipt = try #require(try rig.api.documents("receipts").first)
            #expect((receipt["state"]?.string, receipt["reason"]?.string) == ("suppressed", "level"))
            try await NoticeRig.until {
                let path = silent.headers["location"] ?? ""
                return try await rig.api.ask(path, key: reader).json["state"] as? String == "no_device"
            }

            // A test key's goes to the lane of test keys.
            #expect(
                try await rig.people.ask(
                    "PUT",
                    "/v1/account/devices/\(Self.device)",
                    ["token": NoticeRig.token],
                    token: rig.ada.access
                ).status == 204
            )
            #expect(try await rig.send(try rig.key([.notify], kind: .test), good).status == 202)
            #expect(try rig.messages().map { $0["lane"] as? String } == ["rehearsal"])

            // Pages, whose cursors are of one reader and one search.
            let list = "/v1/notifications?limit=1"
            let page = try await rig.people.ask("GET", list, token: rig.ada.access)
            let next = try #require(page.json["next"] as? String)
            let rest = try await rig.people.ask("GET", "\(list)&cursor=\(next)", token: rig.ada.access)
            #expect((rest.json["data"] as? [[String: Any]])?.first?["level"] as? String == "warning")
            #expect(rest.json["next"] == nil)
            for (path, token) in [
                ("\(list)&cursor=\(next)", rig.eve.access), ("\(list)&unread=true&cursor=\(next)", rig.ada.access),
                ("\(list)&cursor=\(next.dropLast())A", rig.ada.access), ("\(list)&cursor=x", rig.ada.access),
            ] {
                let answer = try await rig.people.ask("GET", path, token: token)
                #expect(answer.status == 400)
            }
            #expect(rig.api.refused(.forgedCursor) == 4)
            let (tablet, path) = (String(repeating: "ab", count: 32), "/v1/account/devices/\(UUID().uuidString)")
            #expect(try await rig.people.ask("PUT", path, ["token": tablet], token: rig.ada.access).status == 204)
            let all = try await rig.people.ask(
                "PUT",
                "/v1/notifications/read",
                ["device": Self.device],
                token: rig.ada.access
            )
            #expect((all.status, all.json["read"] as? Int) == (200, 2))
            // Her other device takes what was read away; nobody sees that push.
            var hidden: [String: Any]?
            try await NoticeRig.until {
                hidden = try rig.messages().first
                return hidden != nil
            }
            #expect(hidden?["push_type"] as? String == "background")
            #expect(hidden?["device_tokens"] as? [String] == [tablet])
            #expect((hidden?["payload"] as? [String: Any])?["aps"] as? NSDictionary == ["content-available": 1])
        }
    }
}
