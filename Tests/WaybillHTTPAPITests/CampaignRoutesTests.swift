import Foundation
import Testing
import WaybillAccounts
import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillProviders

@testable import WaybillHTTPAPI

/// Campaigns over HTTP, with a real store; nothing sends them here.
@Suite(.timeLimit(.minutes(2)), .enabled(if: TestDatabase.isAvailable))
struct CampaignRoutesTests {
    private static let json = ["Content-Type": "application/json"]
    private static let app = "com.example.parcels"

    private func post(_ rig: APIRig.Running, _ path: String, key: String, _ body: String? = nil) async throws
        -> APIRig.Answer
    {
        try await rig.ask(
            "/v1/campaigns\(path)",
            key: key,
            method: "POST",
            headers: Self.json,
            body: body.map { Data($0.utf8) }
        )
    }

    private func register(_ count: Int, in rig: APIRig.Running) throws {
        try rig.pool.withClient { (client) throws(MongoError) in
            let bulk = client.collection(database: rig.database, name: "devices").bulk()
            for number in 0..<count {
                let writer = BSONWriter()
                writer.append("provider", string: "apns")
                writer.append("app", string: Self.app)
                writer.append("environment", string: "production")
                writer.append("token", string: String(repeating: "0", count: 62) + "\(10 + number)")
                writer.append("kind", string: "token")
                writer.append("device", string: "phone-\(number)")
                writer.append("enabled", bool: true)
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("register")
        }
    }

    /// As if fan-out had gone on since somebody looked at the only part that is there.
    private func advance(_ client: String, in rig: APIRig.Running) throws {
        try rig.pool.withClient { (store) throws(MongoError) in
            let notifications = store.collection(database: rig.database, name: "notifications")
            let part = try notifications.findOne(
                BSONDocument { $0.append("x-campaign") { $0.append("$exists", bool: true) } }
            )
            let id = part?["_id"]?.string ?? ""
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    set.append("state", string: "sending")
                    set.append("audience", string: id)
                    set.append("digest", string: "d")
                    set.append("devices", int: 1)
                    set.append("handed_over", int: 1)
                    set.append("noted_at", date: 1_767_225_600_000)
                }
            }
            _ = try notifications.findOneAndUpdate(
                BSONDocument { $0.append("_id", string: id) },
                update: update,
                maximumTime: .seconds(5)
            )
            let writer = BSONWriter()
            writer.append("_id", string: id)
            writer.append("client", string: client)
            writer.append("digest", string: "d")
            writer.append("state", string: "expanding")
            writer.append("expanded", int: 3)
            writer.append("without_lane", int: 1)
            writer.append("without_content", int: 2)
            writer.append("handed_over", int: 2)
            writer.append("page") { page in
                page.append("messages", array: { $0.append { $0.append("count", int: 1) } })
            }
            let bulk = store.collection(database: rig.database, name: "audiences").bulk()
            try bulk.insert(writer)
            try bulk.execute().requireDurable("advance")
        }
    }

    private static func campaign(_ name: String, _ more: String = "") -> String {
        #"{"name": "\#(name)", "body": "New <b>", "select": {"app": "\#(app)"}\#(more)}"#
    }

    @Test func itIsPreparedOnceLookedAtStartedAndHeld() async throws {
        try await APIRig.run { rig in
            try register(3, in: rig)
            let (key, text) = try rig.key(.operator)
            let reader = try rig.key(.reader).text
            #expect(try await post(rig, "", key: reader, Self.campaign("autumn")).status == 403)
            let good = Self.campaign("autumn", #", "per_minute": 600, "title": "T""#)
            let created = try await post(rig, "", key: text, good)
            #expect(created.status == 201, "\(created.text)")
            #expect(created.json["created_by"] as? String == "test (\(key.id))")
            #expect(try await post(rig, "", key: text, good).status == 200, "the same once more")
            #expect(try await post(rig, "", key: text, Self.campaign("autumn")).status == 409)
            let preview = try await rig.ask("/v1/campaigns/autumn/preview", key: reader)
            #expect(preview.json["devices"] as? Int == 3)
            #expect(preview.text.contains(#""message":"New <b>","title":"T""#), "\(preview.text)")
            #expect(try await post(rig, "/autumn/pause", key: text).status == 409, "a draft")
            #expect(try await post(rig, "/autumn/start", key: reader).status == 403)
            #expect(try await post(rig, "/autumn/start", key: text, #"{"at_most": 2}"#).status == 409)
            let tried = try await post(rig, "/autumn/test", key: text, #"{"devices": ["phone-1"]}"#)
            #expect(tried.status == 202 && tried.json["devices"] as? Int == 1, "\(tried.text)")
            #expect(try await post(rig, "/autumn/test", key: text, #"{"devices": ["none"]}"#).status == 409)
            #expect(try await post(rig, "/autumn/test", key: text, #"{"users": [1]}"#).status == 400)
            let started = try await post(rig, "/autumn/start", key: text, #"{"at_most": 3}"#)
            #expect(started.status == 202 && started.json["state"] as? String == "started", "\(started.text)")
            let paused = try await post(rig, "/autumn/pause", key: text)
            #expect(paused.status == 202 && paused.json["state"] as? String == "paused")
            #expect(paused.json["paused_by"] as? String == "test (\(key.id))")
            #expect(paused.json["paused_at"] != nil)
            let told = try await rig.ask("/v1/explain?batch=autumn", key: text)
            #expect(told.text.contains("which was paused by test (\(key.id)) at "), "\(told.text)")
            let resume = "/v1/campaigns/autumn/resume?client=notifications"
            #expect(told.text.contains(resume), "\(told.text)")
            let parts = paused.json["parts"] as? [[String: Any]]
            #expect(parts?.first?["state"] as? String == "held")
            // Its document was looked at some time ago, its audience's record is of now.
            try advance(try #require(started.json["client"] as? String), in: rig)
            for path in ["/autumn", "/autumn/pause"] {
                let answer =
                    path == "/autumn"
                    ? try await rig.ask("/v1/campaigns\(path)", key: text) : try await post(rig, path, key: text)
                #expect(answer.json["handed_over"] as? Int == 2 && answer.json["unconfirmed"] as? Int == 1)
                #expect(answer.json["without_lane"] as? Int == 1 && answer.json["without_content"] as? Int == 2)
                #expect(answer.json["outcomes_at"] as? String == "2026-01-01T00:00:00.000Z", "\(answer.text)")
            }
            let held = try await rig.ask("/v1/batches/autumn", key: reader)
            #expect(held.text.contains("Nothing of what was handed over is recorded yet"), "\(held.text)")
            #expect(try await post(rig, "/autumn/resume", key: text).json["state"] as? String == "started")
            #expect(try await post(rig, "/autumn/cancel", key: text).json["state"] as? String == "cancelled")
            #expect(try await post(rig, "/autumn/start", key: text).status == 409)
            let audit = try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "audit")
                    .find(BSONDocument { $0.append("subject", string: "notifications/autumn") }).all()
            }
            let actions = Set(audit.compactMap { $0["action"]?.string })
            #expect(actions.isSuperset(of: ["campaign.create", "campaign.start", "campaign.pause", "campaign.cancel"]))
        }
    }

    /// Whose time has passed is told nobody, or at once; and who has no lane is told so before anything is sent.
    @Test func whatWouldReachNobodyIsNotStarted() async throws {
        let rules = PostedRules(
            client: "notifications",
            examination: AudienceExamination(
                lanes: [
                    Lane(name: "parcels", environment: .sandbox, bundleID: Self.app),
                    Lane(name: "chat", environment: .production, bundleID: "com.example.chat"),
                ],
                limits: DecodingLimits(),
                retention: RetentionPolicy(default: .keep),
                apps: ClientApps([:])
            )
        )
        try await APIRig.run(campaigns: rules) { rig in
            try register(3, in: rig)
            let key = try rig.key(.operator).text
            let far = try await post(
                rig,
                "",
                key: key,
                Self.campaign(
                    "a/b",
                    #", "at": "2099-01-01T00:00:00Z", "level": "loud", "per_minute": 0, "zone": "Here""#
                )
            )
            let errors = far.json["errors"] as? [[String: String]] ?? []
            #expect(far.status == 400)
            #expect(
                errors.compactMap { $0["pointer"] }.sorted() == [
                    "#/at", "#/level", "#/name", "#/per_minute", "#/zone",
                ],
                "\(far.text)"
            )
            #expect(far.text.contains("at: is more than 366 days ahead"), "\(far.text)")
            let none = try await post(rig, "", key: key, #"{"local_at": "2099-01-01T00:00", "select": {"app": 1}}"#)
            #expect(
                (none.json["errors"] as? [[String: String]] ?? []).compactMap { $0["pointer"] }.sorted()
                    == ["#/body", "#/local_at", "#/name", "#/select/app"],
                "\(none.text)"
            )
            #expect(none.text.contains("local_at: is more than 366 days ahead"), "\(none.text)")
            let slip = Self.campaign("slip").replacing(Self.app, with: "com.example.parcel")
            let unknown = try await post(rig, "", key: key, slip)
            let pointers = (unknown.json["errors"] as? [[String: String]] ?? []).compactMap { $0["pointer"] }
            #expect(unknown.status == 400 && pointers == ["#/select/app"], "\(unknown.text)")
            #expect(unknown.text.contains("did you mean com.example.parcels?"), "\(unknown.text)")
            #expect(try await post(rig, "", key: key, Self.campaign("none")).status == 201)
            let preview = try await rig.ask("/v1/campaigns/none/preview", key: key)
            #expect(preview.json["devices"] as? Int == 3 && preview.json["without_lane"] as? Int == 3)
            #expect((preview.json["lanes"] as? [Any])?.isEmpty == true, "\(preview.text)")
            for (path, body) in [("/none/start", nil), ("/none/test", #"{"devices": ["phone-1"]}"#)] {
                let answer = try await post(rig, path, key: key, body)
                #expect(
                    answer.status == 409 && answer.text.contains("none of its devices has a lane"),
                    "\(answer.text)"
                )
            }
            #expect(try await rig.ask("/v1/campaigns/none", key: key).json["state"] as? String == "draft")
        }
        try await APIRig.run { rig in
            try register(3, in: rig)
            let key = try rig.key(.operator).text
            let past = "2020-01-01T00:00:00Z"
            let late = try await post(rig, "", key: key, Self.campaign("late", #", "at": "\#(past)""#))
            #expect(late.status == 400 && late.text.contains("at: has passed already"), "\(late.text)")
            for (name, passed, devices) in [("skipped", "skip", 0), ("told", "now", 3)] {
                let at = passed == "now" ? past : "2099-01-01T00:00:00Z"
                let draft = Self.campaign(name, #", "at": "\#(at)", "passed": "\#(passed)""#)
                #expect(try await post(rig, "", key: key, draft).status == 201)
                // Whoever waits for too long with the start.
                try rig.pool.withClient { (client) throws(MongoError) in
                    _ = try client.collection(database: rig.database, name: "campaigns").findOneAndUpdate(
                        BSONDocument { $0.append("name", string: name) },
                        update: BSONDocument { update in
                            update.append("$set") { $0.append("at", date: 1_577_836_800_000) }
                        },
                        maximumTime: .seconds(5)
                    )
                }
                let preview = try await rig.ask("/v1/campaigns/\(name)/preview", key: key)
                #expect(preview.json["devices"] as? Int == devices, "\(preview.text)")
            }
            let refused = try await post(rig, "/skipped/start", key: key)
            #expect(refused.status == 409 && refused.text.contains("the time has passed"), "\(refused.text)")
            #expect(try await post(rig, "/told/start", key: key).status == 202)
        }
    }

    /// What was paused over its end is not gone on with.
    @Test func whatHasExpiredIsNotResumed() async throws {
        try await APIRig.run { rig in
            try register(1, in: rig)
            let key = try rig.key(.operator).text
            let end = #", "at": "2099-01-01T00:00:00Z", "expires_at": "2099-01-02T00:00:00Z""#
            #expect(try await post(rig, "", key: key, Self.campaign("brief", end)).status == 201)
            #expect(try await post(rig, "/brief/start", key: key).status == 202)
            #expect(try await post(rig, "/brief/pause", key: key).status == 202)
            func parts() throws -> [BSONDocument] {
                try rig.pool.withClient { (client) throws(MongoError) in
                    let filter = BSONDocument { $0.append("x-campaign") { $0.append("$exists", bool: true) } }
                    return try client.collection(database: rig.database, name: "notifications").find(filter).all()
                }
            }
            #expect(try parts().map { $0["held"]?.bool } == [true])
            try rig.pool.withClient { (client) throws(MongoError) in
                let campaigns = client.collection(database: rig.database, name: "campaigns")
                _ = try campaigns.findOneAndUpdate(
                    BSONDocument { $0.append("name", string: "brief") },
                    update: BSONDocument { writer in
                        writer.append("$set") { $0.append("content.expires_at", date: 1_767_225_600_000) }
                    },
                    maximumTime: .seconds(5)
                )
            }
            for _ in 0..<2 {
                let resumed = try await post(rig, "/brief/resume", key: key)
                #expect(resumed.status == 409 && resumed.text.contains("it has expired"), "\(resumed.text)")
                #expect(try parts().map { $0["cancel"]?.bool } == [true])
                #expect(try parts().map { $0["held"]?.bool } == [nil])
            }
            let shown = try await rig.ask("/v1/campaigns/brief", key: key)
            #expect(shown.json["paused_at"] == nil && shown.json["state"] as? String == "started", "\(shown.text)")
        }
    }

    /// Of several mistakes each is told, where it is; and that quiet hours do not hold what is urgent.
    @Test func allThatIsWrongIsToldAtOnce() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.operator).text
            func pointers(_ body: String) async throws -> [String?] {
                let answer = try await post(rig, "", key: key, body)
                #expect(answer.status == 400, "\(answer.text)")
                return (answer.json["errors"] as? [[String: String]] ?? []).map { $0["pointer"] }
            }
            // A moment has a zone: without one it would be an hour that everybody takes for their own.
            for member in ["at", "expires_at"] {
                for text in ["2035-12-24T18:00", "2035-12-24 18:00", "2035-12-24"] {
                    let told = try await pointers(Self.campaign("zoneless", #", "\#(member)": "\#(text)""#))
                    #expect(told == ["#/\(member)"], "\(member) \(text)")
                }
            }
            let wrong = #"{"body": "b", "zone": "Nowhere", "quiet": "late", "at": "soon", "local_at": "soon"}"#
            #expect(
                try await pointers(wrong) == [
                    "#/name", "#/select", "#/zone", "#/quiet", "#/at", "#/local_at", "#/local_at",
                ]
            )
            #expect(try await pointers(Self.campaign("loud", #", "level": "loud""#)) == ["#/level"])
            let urgent = Self.campaign("urgent", #", "level": "error", "quiet": "22:00-08:00""#)
            #expect(try await post(rig, "", key: key, urgent).json["passes_quiet"] as? Bool == true)
            let calm = Self.campaign("calm", #", "level": "info", "quiet": "22:00-08:00""#)
            let prepared = try await post(rig, "", key: key, calm)
            #expect(prepared.status == 201 && prepared.json["passes_quiet"] == nil, "\(prepared.text)")
        }
    }

    @Test func othersAreNotThereAndPagesGoOn() async throws {
        try await APIRig.run { rig in
            try register(1, in: rig)
            let all = try rig.key(.operator).text
            let acme = try rig.key(.operator, .only(["acme"])).text
            for name in ["one", "two", "three"] {
                let created = try await post(rig, "", key: all, Self.campaign(name))
                #expect(created.status == 201, "\(created.text)")
            }
            #expect(try await post(rig, "", key: acme, Self.campaign("own")).json["client"] as? String == "acme")
            #expect(try await post(rig, "", key: acme, Self.campaign("x", #", "client": "other""#)).status == 404)
            // Canonically equivalent, and another client.
            let cafe = try rig.key(.operator, .only(["caf\u{E9}"])).text
            let foreign = Self.campaign("x", ", \"client\": \"cafe\u{301}\"")
            #expect(try await post(rig, "", key: cafe, foreign).status == 404)
            // A name is a client's own, and says nothing of another's.
            #expect(try await post(rig, "", key: acme, Self.campaign("one", #", "title": "T""#)).status == 201)
            #expect(try await rig.ask("/v1/campaigns/one", key: acme).json["client"] as? String == "acme")
            #expect(try await rig.ask("/v1/campaigns/one?client=notifications", key: acme).status == 404)
            let ambiguous = try await rig.ask("/v1/campaigns/one", key: all)
            #expect(ambiguous.status == 409 && ambiguous.text.contains("acme, notifications"), "\(ambiguous.text)")
            for client in ["acme", "notifications"] {
                let path = "/one/start?client=\(client)"
                let started = try await post(rig, path, key: all)
                #expect(started.status == 202 && started.json["client"] as? String == client, "\(started.text)")
            }
            #expect(try await post(rig, "/one/cancel", key: acme).json["state"] as? String == "cancelled")
            let other = try await rig.ask("/v1/campaigns/one?client=notifications", key: all)
            #expect(other.json["state"] as? String == "started", "\(other.text)")
            #expect(try await rig.ask("/v1/explain?batch=three", key: acme).text.contains("campaign, ") == false)
            for path in ["/two", "/two/preview"] {
                #expect(try await rig.ask("/v1/campaigns\(path)", key: acme).status == 404)
            }
            for word in ["start", "pause", "resume", "cancel"] {
                #expect(try await post(rig, "/two/\(word)", key: acme).status == 404)
            }
            #expect(try await post(rig, "/two/test", key: acme, #"{"users": ["u"]}"#).status == 404)
            let own = try await rig.ask("/v1/campaigns", key: acme).json["campaigns"] as? [[String: Any]]
            #expect(own?.compactMap { $0["name"] as? String } == ["one", "own"])
            var names: [String] = []
            var path: String? = "/v1/campaigns?limit=3"
            while let page = path {
                let answer = try await rig.ask(page, key: all)
                #expect(answer.status == 200, "\(answer.text)")
                names += (answer.json["campaigns"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
                path = (answer.json["next"] as? String).map { "/v1/campaigns?limit=3&cursor=\($0)" }
            }
            #expect(names == ["one", "own", "three", "two", "one"])
            for cursor in ["x", "1", "-1.a", "9x.a"] {
                #expect(try await rig.ask("/v1/campaigns?cursor=\(cursor)", key: all).status == 400)
            }
            #expect(rig.refused(.forgedCursor) == 4)
            let nobody = Self.campaign("none").replacing(Self.app, with: "com.example.none")
            #expect(try await post(rig, "", key: all, nobody).status == 201)
            #expect(try await post(rig, "/none/start", key: all).status == 409)
            // Of an allowance of its own.
            let another = try rig.key(.operator).text
            for body in [
                #"{"name": "a", "body": "b"}"#, #"{"name": "a", "body": "b", "select": 1}"#,
                Self.campaign(".."), Self.campaign("a/b"), Self.campaign(String(repeating: "a", count: 201)),
                Self.campaign("a", #", "per_minute": 0"#), Self.campaign("a", #", "at": "soon""#),
                Self.campaign("a", #", "local_at": "x""#), Self.campaign("a", #", "zone": "Mars""#),
                Self.campaign("a", #", "quiet": "1-2""#), Self.campaign("a", #", "level": "x""#),
                Self.campaign("a", #", "select": {"app": "b"}"#),
                Self.campaign("a", #", "expires_at": "2020-01-01T00:00:00Z""#),
            ] {
                #expect(try await post(rig, "", key: another, body).status == 400, "\(body)")
            }
        }
    }
}
