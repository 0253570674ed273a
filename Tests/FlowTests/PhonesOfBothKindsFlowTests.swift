import Foundation
import Testing
import WaybillAMQP
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// One app on Apple's and on Google's phones: what is sent to its people reaches both, each in its own form.
    @Suite struct PhonesOfBothKinds {
        private static let app = "com.example.parcels"
        private static let apps = #"["com.example.parcels","waybill-demo"]"#
        private static let apple = ["aa00000001", "aa00000002", "aa00000003"].map {
            $0 + String(repeating: "0", count: 54)
        }
        private static let google = ["Token-one:APA91bEXAMPLEexample", "Token-two:APA91bEXAMPLEexample"]
        private static let installation = "cXyZ0123456789abcdefgh"

        private static func register(in rig: Rig) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                let phones =
                    apple.map { ("apns", app, $0, "token") }
                    + google.map { ("fcm", FCMSimulator.project, $0, "token") }
                    + [("fcm", FCMSimulator.project, installation, "installation")]
                for (provider, app, token, kind) in phones {
                    let writer = BSONWriter()
                    writer.append("provider", string: provider)
                    writer.append("app", string: app)
                    if provider == "apns" { writer.append("environment", string: "production") }
                    writer.append("token", string: token)
                    writer.append("kind", string: kind)
                    writer.append("enabled", bool: true)
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("register")
            }
        }

        private func withRig(_ body: (Rig, FCMSimulator) async throws -> Void) async throws {
            var made: FCMSimulator?
            let rig = try await Rig { folder in
                let fcm = try await FCMSimulator(in: folder)
                made = fcm
                return [fcm.extraLane]
            }
            defer { rig.tearDown() }
            let fcm = try #require(made)
            defer { fcm.simulator.stop() }
            try Self.register(in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            try await body(rig, fcm)
        }

        /// What Apple's phones have got, as JSON.
        private static func payloads(_ rig: Rig) throws -> [[String: Any]] {
            try rig.simulator.received().compactMap { push in
                try JSONSerialization.jsonObject(with: Data((push.payload ?? "").utf8)) as? [String: Any]
            }
        }

        @Test func aCampaignIsMadeForBoth() async throws {
            try await withRig { rig, fcm in
                let created = try rig.waybill(
                    "campaign",
                    "create",
                    "autumn",
                    "--client",
                    "acme",
                    "--app",
                    Self.app,
                    "--app",
                    FCMSimulator.project,
                    "--title",
                    "Autumn",
                    "--body",
                    "New colours",
                    "--level",
                    "error"
                )
                #expect(created.status == 0, "\(created.errors)")
                let preview = try rig.waybill("campaign", "preview", "autumn").output
                #expect(preview.contains(#""message":"New colours","title":"Autumn""#), "\(preview)")
                #expect(
                    preview.hasSuffix("\n6 devices\n3 devices over parcels (APNs)\n3 devices over android (FCM)\n"),
                    "\(preview)"
                )
                #expect(try rig.waybill("campaign", "start", "autumn").status == 0)
                try await eventually("it is done\n\(rig.log)", within: 30) {
                    try rig.waybill("campaign", "show", "autumn", "--json").output.contains(#""state":"done""#)
                }
                let shown = try rig.waybill("campaign", "show", "autumn", "--json").output
                #expect(shown.contains(#""handed_over":6,"unconfirmed":0,"outcomes":{"accepted":6}"#), "\(shown)")
                rig.simulator.stop()
                fcm.simulator.stop()
                let payloads = try Self.payloads(rig)
                #expect(payloads.count == 3)
                for payload in payloads {
                    let aps = try #require(payload["aps"] as? [String: Any])
                    #expect(aps["interruption-level"] as? String == "time-sensitive")
                    #expect(aps["alert"] as? [String: String] == ["title": "Autumn", "body": "New colours"])
                }
                let messages = try fcm.messages().values.flatMap(\.self)
                #expect(Set(messages.compactMap { $0["token"] as? String }) == Set(Self.google))
                #expect(messages.compactMap { $0["fid"] as? String } == [Self.installation])
                for message in messages {
                    let data = try #require(message["data"] as? [String: String])
                    #expect(
                        data["title"] == "Autumn" && data["body"] == "New colours"
                            && data["wb_type"] == "time_sensitive"
                    )
                    #expect((message["android"] as? [String: Any])?["priority"] as? String == "HIGH")
                }
            }
        }

        @Test func aDocumentInTheStoreIsMadeForBoth() async throws {
            try await withRig { rig, fcm in
                try rig.pool.withClient { (client) throws(MongoError) in
                    let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                    let writer = BSONWriter()
                    writer.append("_id", string: "posted")
                    writer.append(
                        "app",
                        array: { for app in [Self.app, FCMSimulator.project] { $0.append(string: app) } }
                    )
                    writer.append("body", string: "It is on its way")
                    writer.append("data") { $0.append("parcel", int: 7) }
                    try bulk.insert(writer)
                    try bulk.execute().requireDurable("post")
                }
                let records = try await rig.finalRecords(batch: "posted", count: 6)
                #expect(records.allSatisfy { $0.outcome == "accepted" && $0.message == "It is on its way" })
                rig.simulator.stop()
                fcm.simulator.stop()
                for payload in try Self.payloads(rig) { #expect(payload["parcel"] as? Int == 7) }
                let messages = try fcm.messages().values.flatMap(\.self)
                #expect(messages.count == 3)
                for message in messages {
                    #expect((message["data"] as? [String: String])?["parcel"] == "7")
                    let shown = try #require(message["notification"] as? [String: Any])
                    #expect(shown["body"] as? String == "It is on its way")
                }
            }
        }

        /// A payload in Apple's words is nothing for Google's phones: they are counted, and sent nothing.
        @Test func whoHasNoContentIsCounted() async throws {
            try await withRig { rig, fcm in
                let body = """
                    {"audience_id":"raw","client":"acme","content":{"payload":{"aps":{"alert":"Hello"}}},\
                    "select":{"app":\(Self.apps)}}
                    """
                let tried = try rig.waybill("audience", "send", "-", "--dry-run", input: body)
                let words =
                    "6 devices (3 devices over parcels (APNs), 3 devices without content for their provider); nothing"
                #expect((tried.output + tried.errors).contains(words), "\(tried.output)\(tried.errors)")
                try rig.publish(body, to: rig.queues.audience)
                let records = try await rig.finalRecords(batch: "raw", count: 3)
                #expect(Set(records.compactMap(\.deviceToken)) == Set(Self.apple))
                try await eventually("it is done\n\(rig.log)") {
                    let shown = try rig.waybill("audience", "show", "raw").output
                    return shown.contains("raw  done") && shown.contains("handed over     3\n")
                        && shown.contains("without content 3\n")
                }
                let counted = try rig.waybill(
                    "audience",
                    "count",
                    "--json",
                    "--app",
                    Self.app,
                    "--app",
                    FCMSimulator.project
                )
                #expect(counted.output == #"{"count":6,"providers":{"apns":3,"fcm":3}}"# + "\n")
                // Where no phone of it can be sent to, it is refused with the reason.
                let words2 = "content: payload: has aps, which is of APNs"
                try rig.publish(
                    body.replacing(Self.apps, with: #""waybill-demo""#).replacing(#""raw""#, with: #""none""#),
                    to: rig.queues.audience
                )
                try await eventually("it is rejected\n\(rig.log)") { try rig.depth(of: rig.queues.rejected) == 1 }
                let rejected = try #require(try rig.takeAll(from: rig.queues.rejected).first)
                #expect(rejected.properties[.reason]?.text == "bad_value")
                #expect(rejected.properties[.detail]?.text?.contains(words2) == true)
                fcm.simulator.stop()
                #expect(try fcm.messages().isEmpty)
            }
        }
    }
}
