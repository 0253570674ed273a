import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI
@testable import WaybillNotifications

/// Webhooks of a service are told what has become of its notifications for people, whoever took or handed them over.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct ServiceNewsTests {
    /// What an endpoint is to be told, by type.
    private func told(_ rig: NoticeRig) throws -> [String: [[String: Any]]] {
        var told: [String: [[String: Any]]] = [:]
        for delivery in try rig.api.documents("webhook_deliveries") {
            let body = try #require(delivery["body"]?.string)
            let event = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
            let type = try #require(event["type"] as? String)
            told[type, default: []].append(try #require(event["data"] as? [String: Any]))
        }
        return told
    }

    private func add(_ rig: NoticeRig, _ events: [String] = []) async throws {
        let members: [String: Any] = ["url": "https://example.com/hook", "events": events]
        let answer = try await rig.people.ask(
            "POST",
            "/v1/services/\(rig.service)/webhooks",
            members,
            token: rig.ada.access
        )
        #expect(answer.status == 201, "\(answer.text)")
    }

    /// Has nothing put in for endpoints, or has it again.
    private func refuseEvents(_ rig: NoticeRig, _ refuses: Bool) throws {
        try rig.require(in: "webhook_deliveries") { validator in
            if refuses { validator.append("never") { $0.append("$exists", bool: true) } }
        }
    }

    private func isSettled(_ rig: NoticeRig) throws -> Bool {
        try ["notifications", "receipts"].allSatisfy { name in
            try rig.api.documents(name).allSatisfy { $0["untold"] == nil }
        }
    }

    @Test func whatPeopleAreNotToldAndWhatTheyAcknowledge() async throws {
        try await NoticeRig.run { rig in
            try await add(rig)
            try await add(rig, ["notification.acknowledged"])
            let key = try rig.key([.notify])
            // Ada has switched warnings off.
            let silent = try await rig.send(key, ["level": "warning", "body": "Slow"])
            let loud = try await rig.send(key, ["level": "error", "body": "It is full"])
            let (suppressed, sent) = (
                try #require(silent.json["id"] as? String), try #require(loud.json["id"] as? String)
            )
            for _ in 0..<2 {
                let path = "/v1/notifications/\(sent)/acknowledged"
                #expect(try await rig.people.ask("PUT", path, token: rig.ada.access).status == 200)
            }
            try await NoticeRig.until { try isSettled(rig) }
            let told = try told(rig)
            #expect(Set(told.keys) == ["notification.suppressed", "notification.acknowledged"])
            let silence = try #require(told["notification.suppressed"])
            #expect(silence.count == 1)
            #expect(silence.first?["notification"] as? String == suppressed)
            #expect(silence.first?["suppressed"] as? Int == 1 && silence.first?["told"] as? Int == 0)
            // Once, to either.
            let acknowledged = try #require(told["notification.acknowledged"])
            #expect(acknowledged.count == 2)
            for data in acknowledged {
                #expect(data["notification"] as? String == sent && data["account"] as? String == rig.account)
                #expect(data["service"] as? String == rig.service)
            }
        }
    }

    /// What could not be put in waits in the store, and is put in once.
    @Test func whatCouldNotBeToldIsToldLater() async throws {
        try await NoticeRig.run { rig in
            try await add(rig)
            #expect(try await rig.people.ask("POST", try webhook(rig) + "/test", token: rig.ada.access).status == 202)
            try refuseEvents(rig, true)
            let key = try rig.key([.notify])
            #expect(try await rig.send(key, ["level": "warning", "body": "Slow"]).status == 202)
            let sent = try await rig.send(key, ["level": "error", "body": "It is full"])
            let path = "/v1/notifications/\(try #require(sent.json["id"] as? String))/acknowledged"
            #expect(try await rig.people.ask("PUT", path, token: rig.ada.access).status == 200)
            await rig.api.server.sender?.sweep()
            #expect(try Set(told(rig).keys) == ["webhook.test"])
            #expect(try !isSettled(rig))
            try refuseEvents(rig, false)
            for _ in 0..<2 { await rig.api.server.sender?.sweep() }
            #expect(try isSettled(rig))
            let told = try told(rig)
            #expect(told["notification.suppressed"]?.count == 1 && told["notification.acknowledged"]?.count == 1)
        }
    }

    private func webhook(_ rig: NoticeRig) throws -> String {
        let id = try #require(try rig.api.documents("webhook_endpoints").first?["_id"]?.string)
        return "/v1/services/\(rig.service)/webhooks/\(id)"
    }

    /// What somebody has put into the store in a service's name, and `waybill schedule` takes.
    @Test func whatOthersPostIsToldOf() async throws {
        try await NoticeRig.run { rig in
            try await add(rig)
            let told = try await eveJoins(rig)
            let document = BSONWriter(capacity: 256)
            document.append("_id", string: "gates")
            document.append("service", string: rig.service)
            document.append("level", string: "warning")
            document.append("body", string: "Open")
            let posted = document.document
            let route = NotificationRoute(
                client: "notifire",
                app: NoticeRig.app,
                environment: .production,
                lane: "parcels"
            )
            try rig.api.pool.withClient { client throws(MongoError) in
                let bulk = client.collection(database: rig.api.database, name: "notifications").bulk()
                try bulk.insert(document)
                try bulk.execute().requireDurable("test")
            }
            let one = try rig.api.pool.withClient { client throws(MongoError) in
                try PostedServices(client: client, database: rig.api.database, route: route)
                    .voice(posted, now: WallClock.milliseconds())
            }
            let claim = try PostedNotification(posted, client: "anybody", voice: try one.get())
            try rig.api.pool.withClient { client throws(MongoError) in
                let store = PostedStore(client: client, database: rig.api.database, owner: "test")
                #expect(try store.claim(claim, now: WallClock.milliseconds()))
            }
            await rig.api.server.sender?.sweep()
            let events = try self.told(rig)["notification.suppressed"] ?? []
            #expect(events.count == 1)
            #expect(events.first?["notification"] as? String == "gates")
            #expect(events.first?["suppressed"] as? Int == 1 && events.first?["told"] as? Int == told)
        }
    }

    /// - Returns: how many want to hear of warnings then.
    private func eveJoins(_ rig: NoticeRig) async throws -> Int {
        let own = try await rig.people.ask("GET", "/v1/account", token: rig.eve.access)
        try rig.join(try #require(own.json["id"] as? String), as: .member)
        return 1
    }
}
