import Foundation
import Testing
import WaybillAMQP
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Lanes to both providers in one dispatcher, through the real broker, store and programs.
    @Suite struct FCM {
        /// A registration token of today's form.
        private static func token(_ name: String) -> String { "\(name):APA91bEXAMPLEexample" }

        private static func message(_ token: String, _ members: String = #""message":"Your parcel is here""#) -> String
        {
            #"{"device_token":"\#(token)",\#(members)}"#
        }

        private static func batch(_ id: String, _ items: [String], lane: String? = FCMSimulator.lane) -> String {
            let lane = lane.map { #","lane":"\#($0)""# } ?? ""
            return #"{"batch_id":"\#(id)","client":"acme"\#(lane),"notifications":[\#(items.joined(separator: ","))]}"#
        }

        /// Runs with a rig whose second lane leads to FCM.
        private func withRig(
            rules: String? = nil,
            arguments: [String] = [],
            settings: String = "",
            _ body: (Rig, FCMSimulator) async throws -> Void
        ) async throws {
            var made: FCMSimulator?
            let rig = try await Rig(settings: settings) { folder in
                try FrontDoor.writeKeys(in: folder)
                let fcm = try await FCMSimulator(in: folder, rules: rules, arguments: arguments)
                made = fcm
                return [fcm.extraLane]
            }
            defer { rig.tearDown() }
            let fcm = try #require(made)
            defer { fcm.simulator.stop() }
            try await body(rig, fcm)
        }

        /// From the push over the phone to the story, of an alert and of what is for the app alone.
        @Test func aDeviceSaysWhatBecameOfItsPush() async throws {
            let door = try FrontDoor()
            try await withRig(settings: door.settings) { rig, fcm in
                try rig.startDispatcher()
                _ = try rig.start("serve")
                let alert = Self.message(Self.token("One"), #""message":"It is here","receipt":true"#)
                let alarm = Self.message(
                    Self.token("Two"),
                    #""message":"Fire","receipt":true,"delivery_type":"critical""#
                )
                let silent = Self.message(Self.token("Three"))
                try rig.publish(Self.batch("told", [alert, alarm, silent]))
                let records = try await rig.finalRecords(batch: "told", count: 3)
                #expect(records.allSatisfy { $0.message?.contains("wb_rcpt") == false })
                try await eventually("all are written down") { try fcm.messages().count == 3 }
                let messages = try fcm.messages()
                for record in records {
                    let data = try #require(messages[record.id]?.first?["data"] as? [String: Any])
                    guard record.deviceToken != Self.token("Three") else {
                        #expect(data["wb_rcpt"] == nil)
                        continue
                    }
                    let capability = try #require(data["wb_rcpt"] as? String)
                    try await eventually("it has arrived; log: \(rig.log)") {
                        door.say("received", of: record.id, capability: capability) == 204
                    }
                    #expect(door.say("opened", of: record.id, capability: capability) == 204)
                    #expect(door.say("opened", of: record.id, capability: capability + "A") == 403)
                    let story = try rig.waybill("explain", "--json", record.id)
                    #expect(story.output.contains(#""event":"received""#), "\(story.output)")
                    #expect(story.output.contains(#""event":"opened""#), "\(story.output)")
                }
                let batch = try rig.waybill("explain", "told")
                #expect(batch.output.contains("arrived 2 · opened 2"), "\(batch.output)")
            }
        }

        @Test func bothProvidersSendFromOneDispatcher() async throws {
            try await withRig { rig, fcm in
                try rig.startDispatcher()
                try rig.publish(Sample.batch("ios", tokens: (0..<20).map { Sample.token("aa", $0) }))
                let tokens = (0..<20).map { Self.token("Token-\($0)") }
                try rig.publish(Self.batch("android", tokens.map { Self.message($0) }))
                let expiration = Int(Date().timeIntervalSince1970) + 600
                let payload = #"{"data":{"n":"3"},"android":{"priority":"HIGH"}}"#
                try rig.publish(
                    #"{"batch_id":"shared","lane":"android","payload":\#(payload),"expiration":\#(expiration),"collapse_id":"k","device_tokens":["\#(Self.token("One"))","\#(Self.token("one"))"]}"#
                )
                let ios = try await rig.finalRecords(batch: "ios", count: 20)
                let android = try await rig.finalRecords(batch: "android", count: 20)
                let shared = try await rig.finalRecords(batch: "shared", count: 2)
                for record in ios {
                    #expect(record.outcome == "accepted" && record.provider == nil && record.providerID == nil)
                }
                #expect(Set(android.map(\.deviceToken)) == Set(tokens))
                fcm.simulator.stop()
                let sent = try fcm.messages()
                #expect(Set(sent.keys) == Set((android + shared).map(\.id)))
                for record in android + shared {
                    #expect(record.outcome == "accepted" && record.statusCode == 200)
                    #expect(record.provider == "fcm")
                    #expect(record.providerID?.hasPrefix("projects/waybill-demo/messages/") == true)
                    #expect(record.topic == FCMSimulator.project)
                    #expect(record.attempts == 1 && record.isRepeat == nil)
                    let messages = try #require(sent[record.id])
                    #expect(messages.count == 1)
                    #expect(messages[0]["token"] as? String == record.deviceToken)
                }
                for record in android {
                    let android = try #require(sent[record.id]?[0]["android"] as? [String: Any])
                    #expect(android["collapse_key"] == nil)
                    let life = Int((android["ttl"] as? String ?? "").dropLast()) ?? 0
                    #expect((85_800...86_400).contains(life) && record.expirationFrom == "default")
                    #expect(record.pushType == "notification" && record.collapseID == nil)
                    #expect(record.message == "Your parcel is here")
                }
                for record in shared {
                    let android = try #require(sent[record.id]?[0]["android"] as? [String: Any])
                    #expect(android["collapse_key"] as? String == "k")
                    let life = Int((android["ttl"] as? String ?? "").dropLast()) ?? 0
                    #expect((1...600).contains(life))
                    #expect(record.pushType == "data" && record.collapseID == "k" && record.expiration == expiration)
                }
                #expect(Set(shared.map(\.deviceToken)) == [Self.token("One"), Self.token("one")])
                try await eventually("every message is acknowledged") { try rig.depth(of: rig.queues.dispatch) == 0 }
            }
        }

        private static let refusals = """
            {"rules": [
              {"registration_prefix": "dead", "fcm": "UNREGISTERED"},
              {"registration_prefix": "other", "fcm": "SENDER_ID_MISMATCH"},
              {"registration_prefix": "bad", "fcm": "INVALID_TOKEN"},
              {"registration_prefix": "arg", "fcm": "INVALID_ARGUMENT"},
              {"registration_prefix": "busy", "fcm": "DEVICE_QUOTA_EXCEEDED", "retry_after": 1, "times": 1},
              {"registration_prefix": "fault", "fcm": "INTERNAL", "times": 1}
            ]}
            """

        @Test func everyAnswerBecomesItsOutcomeAndItsEvent() async throws {
            try await withRig(rules: Self.refusals) { rig, _ in
                try rig.startDispatcher()
                let begin = Int(Date().timeIntervalSince1970 * 1000)
                let prefixes = ["good", "dead", "other", "bad", "arg", "busy", "fault"]
                let items = prefixes.map { Self.message(Self.token("\($0)-X")) } + [Self.message("a b")]
                try rig.publish(Self.batch("outcomes", items))
                let records = try await rig.finalRecords(batch: "outcomes", count: 8)
                func record(_ prefix: String) throws -> LoggedRecord {
                    try #require(records.first { $0.deviceToken?.hasPrefix(prefix) == true })
                }
                #expect(try record("good").outcome == "accepted")
                let dead = try record("dead")
                #expect(dead.outcome == "token_invalid" && dead.statusCode == 404 && dead.reason == "UNREGISTERED")
                #expect(dead.invalidSince != nil)
                for (prefix, status, reason) in [
                    ("other", 403, "SENDER_ID_MISMATCH"), ("bad", 400, "INVALID_ARGUMENT"),
                ] {
                    let suspect = try record(prefix)
                    #expect(suspect.outcome == "token_invalid" && suspect.statusCode == status)
                    #expect(suspect.reason == reason && suspect.invalidSince == nil)
                }
                #expect(try record("arg").outcome == "rejected")
                // FCM's own words stand in the history, and are told.
                #expect(try record("arg").history?.map(\.detail) == ["Request contains an invalid argument."])
                #expect(try record("arg").history?.first?.latency ?? 0 > 0)
                let words = "message.token: The registration token is not a valid FCM registration token"
                #expect(try record("bad").history?.map(\.detail) == [words])
                #expect(try record("bad").history?.first?.reason == "INVALID_ARGUMENT")
                #expect(try record("other").history == nil)
                let told = try rig.waybill("explain", try record("arg").id, "--json")
                #expect(told.output.contains("Request contains an invalid argument."), "\(told.output)")
                #expect(try record("busy").history?.map(\.status) == [429, 200])
                #expect(try record("busy").isRepeat == nil)
                // FCM may have taken the first.
                #expect(try record("fault").history?.map(\.status) == [500, 200])
                #expect(try record("fault").isRepeat == true)
                let invalid = try #require(records.first { $0.outcome == "invalid" })
                #expect(invalid.provider == "fcm" && invalid.reason?.hasPrefix("device_token: ") == true)
                try await eventually("three token events") { try rig.depth(of: rig.queues.invalidTokens) == 3 }
                let events = try rig.takeAll(from: rig.queues.invalidTokens).map {
                    try #require(try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
                }
                for event in events {
                    #expect(event["provider"] as? String == "fcm" && event["environment"] == nil)
                    #expect(event["topic"] as? String == FCMSimulator.project)
                }
                let deadEvent = try #require(events.first { $0["class"] as? String == "dead" })
                #expect(deadEvent["device_token"] as? String == Self.token("dead-X"))
                #expect(deadEvent["apns_id"] as? String == dead.id)
                let since = try #require(deadEvent["invalid_since"] as? Int)
                #expect(since >= begin - 1000 && since <= (deadEvent["observed_at"] as? Int ?? 0))
            }
        }

        @Test func onlyUnregisteredDisablesADeviceAndItsCaseCounts() async throws {
            try await withRig(rules: Self.refusals) { rig, _ in
                try Self.register(
                    [
                        Self.token("dead-X"), Self.token("DEAD-X"), Self.token("other-X"),
                        Self.token("dead-later"),
                    ],
                    in: rig
                )
                try Self.register([Self.token("dead-X")], of: "another-project", in: rig)
                try rig.startDispatcher()
                try rig.startPruner()
                try rig.publish(
                    Self.batch(
                        "dead",
                        [
                            Self.token("dead-X"), Self.token("other-X"),
                            Self.token("dead-unknown"),
                        ].map { Self.message($0) }
                    )
                )
                _ = try await rig.finalRecords(batch: "dead", count: 3)
                func isEnabled(_ token: String, of app: String = FCMSimulator.project) throws -> Bool? {
                    try Self.device(token, of: app, in: rig)?["enabled"]?.bool
                }
                try await eventually("the dead one is disabled: \(rig.log)") {
                    try isEnabled(Self.token("dead-X")) == false
                }
                try await eventually("the unknown one has a tombstone") {
                    try isEnabled(Self.token("dead-unknown")) == false
                }
                try await eventually("the suspect is marked") {
                    try Self.device(Self.token("other-X"), of: FCMSimulator.project, in: rig)?["suspected_at"]?
                        .date != nil
                }
                #expect(try isEnabled(Self.token("DEAD-X")) == true)
                #expect(try isEnabled(Self.token("other-X")) == true)
                #expect(try isEnabled(Self.token("dead-X"), of: "another-project") == true)
                // What registers again after it was sent to stays.
                try Self.register([Self.token("dead-X")], in: rig, after: .seconds(60))
                try rig.publish(
                    Self.batch(
                        "again",
                        [Self.token("dead-X"), Self.token("dead-later")].map { Self.message($0) }
                    )
                )
                _ = try await rig.finalRecords(batch: "again", count: 2)
                try await eventually("the other one is disabled") {
                    try isEnabled(Self.token("dead-later")) == false
                }
                #expect(try isEnabled(Self.token("dead-X")) == true)
            }
        }

        @Test func aLaneThatIsRefusedIsParkedAndNothingIsLost() async throws {
            let rules = #"{"rules": [{"registration_prefix": "refused", "fcm": "SERVICE_DISABLED", "times": 1}]}"#
            try await withRig(rules: rules) { rig, fcm in
                let dispatcher = try rig.startDispatcher()
                try rig.publish(Self.batch("parked", [Self.message(Self.token("refused"))]))
                try await eventually("the lane is parked") {
                    dispatcher.errorText.contains("dispatch.laneParked")
                        && dispatcher.errorText.contains("SERVICE_DISABLED")
                }
                try rig.publish(Self.batch("waiting", (0..<30).map { Self.message(Self.token("t\($0)")) }))
                // The other provider's lane goes on.
                try rig.publish(Sample.batch("ios", tokens: [Sample.token("aa", 1)]))
                #expect(try await rig.finalRecords(batch: "ios", count: 1).first?.outcome == "accepted")
                #expect(try rig.records("--batch", "waiting").allSatisfy { $0.outcome == "deferred" })
                let refused = try #require(await rig.finalRecords(batch: "parked", count: 1, within: 90).first)
                #expect(refused.outcome == "accepted" && refused.history?.map(\.status) == [403, 200])
                #expect(refused.waited?.map(\.reason) == ["refused"])
                let records = try await rig.finalRecords(batch: "waiting", count: 30, within: 60)
                #expect(records.allSatisfy { $0.outcome == "accepted" && $0.attempts == 1 })
                fcm.simulator.stop()
                // One of them was sent twice: it had been refused.
                #expect(try fcm.messages().values.map(\.count).sorted() == Array(repeating: 1, count: 30) + [2])
            }
        }

        @Test func oneAudienceReachesPhonesOfBothKinds() async throws {
            try await withRig { rig, fcm in
                try Self.register((0..<30).map { Self.token("Phone-\($0)") }, in: rig)
                try Self.register((0..<30).map { Sample.token("aa", $0) }, provider: "apns", in: rig)
                try rig.startDispatcher()
                _ = try rig.start("fanout")
                let body =
                    #"{"audience_id":"mixed","client":"acme","content":{"message":"News","delivery_type":"time_sensitive","badge":1},"#
                    + #""select":{"app":["com.example.parcels","waybill-demo"],"users":["user1","user2"]}}"#
                try rig.publish(body, to: rig.queues.audience)
                let records = try await rig.finalRecords(batch: "mixed", count: 12, within: 60)
                #expect(records.count == 12)
                #expect(records.count { $0.provider == "fcm" } == 6)
                #expect(records.allSatisfy { $0.outcome == "accepted" })
                #expect(
                    Set(records.filter { $0.provider == "fcm" }.compactMap(\.deviceToken))
                        == [
                            Self.token("Phone-1"), Self.token("Phone-2"),
                            Self.token("Phone-11"), Self.token("Phone-12"),
                            Self.token("Phone-21"), Self.token("Phone-22"),
                        ]
                )
                rig.simulator.stop()
                for received in try rig.simulator.received() {
                    #expect(received.payload?.contains(#""interruption-level":"time-sensitive""#) == true)
                }
                fcm.simulator.stop()
                for message in try fcm.messages().values {
                    let data = message[0]["data"] as? [String: Any]
                    #expect(data?["wb_type"] as? String == "time_sensitive" && data?["body"] as? String == "News")
                    #expect(message[0]["notification"] == nil)
                }
            }
        }

        @Test func whoAsksIsToldInTheProvidersOwnWords() async throws {
            try await withRig(rules: Self.refusals) { rig, _ in
                try rig.startDispatcher()
                try rig.publish(
                    Self.batch(
                        "told",
                        [Self.message(Self.token("dead-X")), Self.message(Self.token("good-X"))]
                    )
                )
                let records = try await rig.finalRecords(batch: "told", count: 2)
                let dead = try #require(records.first { $0.outcome == "token_invalid" })
                let explained = try rig.waybill("explain", dead.id)
                #expect(explained.output.contains("FCM refused the device token"), "\(explained.output)")
                #expect(!explained.output.contains("APNs"), "\(explained.output)")
                let shown = try rig.waybill("logs", "--story", "--token", Self.token("good-X"))
                #expect(shown.output.contains("projects/waybill-demo/messages/"), "\(shown.output)\(shown.errors)")
                #expect(shown.output.contains("android, project waybill-demo"))
                #expect(try rig.records("--token", Self.token("GOOD-X")).isEmpty)
                #expect(try rig.waybill("explain", "--as", "token", Self.token("good-X")).status == 0)
                let batch = try rig.waybill("explain", "told")
                let words = batch.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(words.contains("the app was removed from the device"), "\(batch.output)")
            }
        }

        @Test func checkReadsTheKeyBuysATokenAndProvesTheProject() async throws {
            try await withRig { rig, fcm in
                let good = try rig.waybill("check", "--prove")
                let words = good.output + good.errors
                #expect(words.contains("android: the token endpoint sells access tokens"), "\(words)")
                #expect(words.contains("android: FCM took a message that it only checked"), "\(words)")
                #expect(words.contains("is key "), "\(words)")
                // Nothing was delivered for that.
                fcm.simulator.stop()
                let bad = try rig.waybill("check")
                #expect((bad.output + bad.errors).contains("android: no access token"), "\(bad.output)\(bad.errors)")
                #expect(bad.status != 0)
            }
        }

        // MARK: - The registry

        private static func register(
            _ tokens: [String],
            of app: String? = nil,
            provider: String = "fcm",
            in rig: Rig,
            after: Duration = .zero
        ) throws {
            let registered = Int64(Date().timeIntervalSince1970 * 1000) + after.components.seconds * 1000
            let app = app ?? (provider == "fcm" ? FCMSimulator.project : "com.example.parcels")
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                for (number, token) in tokens.enumerated() {
                    let key = BSONDocument { writer in
                        writer.append("provider", string: provider)
                        writer.append("app", string: app)
                        if provider == "apns" { writer.append("environment", string: "production") }
                        writer.append("token", string: token)
                    }
                    let update = BSONDocument { writer in
                        writer.append("$set") { writer in
                            writer.append("kind", string: "token")
                            writer.append("user", string: "user\(number % 10)")
                            writer.append("registered_at", date: registered)
                            writer.append("enabled", bool: true)
                        }
                    }
                    try bulk.updateOne(filter: key, update: update, upsert: true)
                }
                try bulk.execute().requireDurable("register")
            }
        }

        private static func device(_ token: String, of app: String, in rig: Rig) throws -> BSONDocument? {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "devices").findOne(
                    BSONDocument { writer in
                        writer.append("app", string: app)
                        writer.append("token", string: token)
                    }
                )
            }
        }
    }
}
