import Foundation
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Campaigns, from the command line to the simulated phones.
    @Suite struct Campaigns {
        private static let app = "com.example.parcels"

        /// A token as long as APNs wants them.
        private static func whole(_ token: String) -> String { token + String(repeating: "0", count: 64 - token.count) }

        private static func register(_ tokens: [String: String?], in rig: Rig) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                for (token, zone) in tokens {
                    let writer = BSONWriter()
                    writer.append("provider", string: "apns")
                    writer.append("app", string: app)
                    writer.append("environment", string: "production")
                    writer.append("token", string: Self.whole(token))
                    writer.append("kind", string: "token")
                    writer.append("device", string: "phone-\(token)")
                    if let zone { writer.append("time_zone", string: zone) }
                    writer.append("enabled", bool: true)
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("register")
            }
        }

        private static func shown(_ name: String, in rig: Rig) throws -> String {
            try rig.waybill("campaign", "show", name, "--json").output
        }

        @Test func itIsPreparedTriedStartedAndSent() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(
                ["aa00000001": "Europe/Vienna", "aa00000002": "Asia/Kolkata", "aa00000003": nil],
                in: rig
            )
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let create = [
                "campaign", "create", "autumn", "--client", "acme", "--app", Self.app, "--title", "Autumn", "--body",
                "New",
            ]
            func run(_ arguments: [String]) throws -> Program.Result {
                try Program.run("waybill", arguments + ["--config", rig.configurationFile.path])
            }
            // A long time ago everywhere, and told at once.
            let past = ["--local-at", "2020-01-01T08:00", "--passed-now"]
            #expect(try run(create + past).status == 0)
            #expect(try run(create).status == 65, "the name is taken")
            let preview = try rig.waybill("campaign", "preview", "autumn").output
            #expect(preview.contains(#""message":"New","title":"Autumn""#))
            #expect(preview.hasSuffix("\n3 devices\n3 devices over parcels (APNs)\n"), "\(preview)")
            #expect(try rig.waybill("campaign", "start", "autumn", "--at-most", "2").status == 65)
            #expect(try rig.waybill("campaign", "test", "autumn", "--device", "phone-aa00000002").status == 0)
            try await eventually("the test is there\n\(rig.log)") { try rig.simulator.received().count == 1 }
            #expect(try rig.waybill("campaign", "start", "autumn").status == 0)
            #expect(try rig.waybill("campaign", "start", "autumn").status == 0, "safe to repeat")
            try await eventually("it is done\n\(rig.log)", within: 30) {
                try Self.shown("autumn", in: rig).contains(#""state":"done""#)
            }
            let shown = try Self.shown("autumn", in: rig)
            #expect(shown.contains(#""handed_over":3,"unconfirmed":0,"outcomes":{"accepted":3}"#), "\(shown)")
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 4)
            #expect(try rig.waybill("campaign", "list").output.contains("done        autumn  (acme)\n"))
        }

        /// Phones of the other environment, for which there is no lane.
        @Test func whoHasNoLaneIsTold() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001": nil, "aa00000002": nil, "aa00000003": nil], in: rig)
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                for token in ["aa00000002", "aa00000003"] {
                    try bulk.updateOne(
                        filter: BSONDocument { $0.append("token", string: Self.whole(token)) },
                        update: BSONDocument { update in
                            update.append("$set") { $0.append("environment", string: "sandbox") }
                        },
                        upsert: false
                    )
                }
                try bulk.execute().requireDurable("move")
            }
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            #expect(try rig.waybill("campaign", "create", "spring", "--app", Self.app, "--body", "News").status == 0)
            let started = try rig.waybill("campaign", "start", "spring")
            #expect(started.errors.contains("2 devices without a lane"), "\(started.errors)")
            #expect(!started.errors.contains("left out"), "\(started.errors)")
            try await eventually("it is done\n\(rig.log)", within: 30) {
                try Self.shown("spring", in: rig).contains(#""state":"done""#)
            }
            let shown = try Self.shown("spring", in: rig)
            #expect(shown.contains(#""without_lane":2,"without_content":0,"handed_over":1"#), "\(shown)")
            let text = try rig.waybill("campaign", "show", "spring").output
            #expect(text.contains("\n2 devices without a lane\n"), "\(text)")
            let body = #"{"audience_id":"n","client":"acme","content":{"message":"N"},"select":{"app":"\#(Self.app)"}}"#
            let sent = try rig.waybill("audience", "send", "-", input: body)
            #expect(
                sent.errors.contains("3 devices (2 devices without a lane); n is with the broker"),
                "\(sent.errors)"
            )
            // None of those that are meant.
            let few = ["campaign", "create", "few", "--app", Self.app, "--body", "x", "--device", "phone-aa00000002"]
            #expect(try Program.run("waybill", few + ["--config", rig.configurationFile.path]).status == 0)
            for words in [["preview", "few"], ["start", "few"], ["test", "spring", "--device", "phone-aa00000003"]] {
                let all = ["campaign"] + words + ["--config", rig.configurationFile.path]
                let told = try Program.run("waybill", all)
                #expect(told.status == 68 && told.errors.contains("none of its devices has a lane"), "\(told.errors)")
            }
            #expect(try rig.waybill("campaign", "show", "few").output.hasPrefix("few  draft\n"))
            // An app that no lane and no device has.
            let slip = ["campaign", "create", "slip", "--app", Self.app + "s", "--body", "x"]
            let unknown = try Program.run("waybill", slip + ["--config", rig.configurationFile.path])
            #expect(unknown.status == 65 && unknown.errors.contains("did you mean \(Self.app)?"), "\(unknown.errors)")
            // A time that has passed.
            let past = ["campaign", "create", "past", "--app", Self.app, "--body", "x", "--at", "2020-01-01T00:00:00Z"]
            let refused = try Program.run("waybill", past + ["--config", rig.configurationFile.path])
            #expect(refused.status == 65 && refused.errors.contains("at: has passed already"), "\(refused.errors)")
            let soon = past.dropLast() + ["2h", "--config", rig.configurationFile.path]
            #expect(try Program.run("waybill", Array(soon)).status == 0)
            // Whoever waits for too long with the start.
            try rig.pool.withClient { (client) throws(MongoError) in
                _ = try client.collection(database: rig.database, name: "campaigns").findOneAndUpdate(
                    BSONDocument { $0.append("name", string: "past") },
                    update: BSONDocument { update in
                        update.append("$set") { $0.append("at", date: 1_577_836_800_000) }
                    },
                    maximumTime: .seconds(5)
                )
            }
            let preview = try rig.waybill("campaign", "preview", "past")
            #expect(preview.status == 68 && !preview.output.contains("over parcels"), "\(preview.output)")
            #expect(try rig.waybill("campaign", "start", "past").status == 68)
        }

        @Test func whatWaitsIsCancelled() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001": "Europe/Vienna", "aa00000002": "Asia/Kolkata"], in: rig)
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let created = try rig.waybill(
                "campaign",
                "create",
                "late",
                "--app",
                Self.app,
                "--body",
                "News",
                "--at",
                "2h"
            )
            #expect(created.status == 0, "\(created.errors)")
            #expect(try rig.waybill("campaign", "start", "late").status == 0)
            try await eventually("it waits\n\(rig.log)") {
                try rig.waybill("campaign", "show", "late").output.contains("2 devices  scheduled")
            }
            #expect(try rig.waybill("campaign", "cancel", "late").status == 0)
            try await eventually("it is cancelled\n\(rig.log)", within: 30) {
                try rig.waybill("campaign", "show", "late").output.contains("2 devices  cancelled, handed over 0")
            }
            #expect(try rig.waybill("campaign", "start", "late").status == 65, "it stays so")
        }

        /// Held in the middle until its end has passed: what was left is not sent, and it ends.
        @Test func whatHasExpiredEndsWhenItIsResumed() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let tokens = (10..<50).map { "aa000000\($0)" }
            try Self.register(Dictionary(uniqueKeysWithValues: tokens.map { ($0, nil) }), in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            func run(_ arguments: String...) throws -> Program.Result {
                try Program.run("waybill", ["campaign"] + arguments + ["--config", rig.configurationFile.path])
            }
            let create = ["brief", "--app", Self.app, "--body", "News", "--per-minute", "240", "--expires-at", "2h"]
            let all = ["campaign", "create"] + create + ["--config", rig.configurationFile.path]
            #expect(try Program.run("waybill", all).status == 0)
            #expect(try run("start", "brief").status == 0)
            try await eventually("it has begun; log: \(rig.log)") { try rig.simulator.received().count >= 2 }
            #expect(try run("pause", "brief").status == 0)
            try await eventually("it rests; log: \(rig.log)") { rig.log.contains("fanout.held") }
            try rig.pool.withClient { (client) throws(MongoError) in
                _ = try client.collection(database: rig.database, name: "campaigns").findOneAndUpdate(
                    BSONDocument { $0.append("name", string: "brief") },
                    update: BSONDocument { writer in
                        writer.append("$set") { $0.append("content.expires_at", date: 1_767_225_600_000) }
                    },
                    maximumTime: .seconds(5)
                )
            }
            let resumed = try run("resume", "brief")
            #expect(
                resumed.status == 65 && resumed.errors.contains("brief has expired at 2026-01-01"),
                "\(resumed.errors)"
            )
            try await eventually("it ends; log: \(rig.log)", within: 60) {
                try Self.shown("brief", in: rig).contains(#""state":"done""#)
            }
            #expect(try run("show", "brief").output.contains("40 devices  cancelled, handed over "))
            #expect(try run("resume", "brief").errors.contains("brief has ended; nothing of it is left"))
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count < tokens.count)
        }

        /// The same time on all clocks: it has passed in the east, and is to come in the west.
        @Test func whoIsLeftOutIsSaidAtTheStart() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let zones = ["aa00000001": "Pacific/Kiritimati", "aa00000002": "Asia/Tokyo", "aa00000003": "Etc/GMT+12"]
            try Self.register(zones, in: rig)
            let now = String(Date().formatted(.iso8601).prefix(16))
            let create = ["campaign", "create", "local", "--app", Self.app, "--body", "News", "--local-at", now]
            #expect(try rig.waybill(create).status == 0)
            let started = try rig.waybill("campaign", "start", "local")
            #expect(started.status == 0 && started.errors.contains("local is started: 1 device\n"), "\(started.errors)")
            #expect(started.errors.contains("2 devices left out: the time has passed there"), "\(started.errors)")
        }

        /// It is told in that zone alone, may end before the day is over elsewhere, and waits for no other zone's clocks.
        @Test func oneTimeZoneIsDoneByItself() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001": "Europe/Vienna", "aa00000002": "Asia/Tokyo", "aa00000003": nil], in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let vienna = try #require(TimeZone(identifier: "Europe/Vienna"))
            let past = Date(timeIntervalSinceNow: -3600).formatted(Date.ISO8601FormatStyle(timeZone: vienna)).prefix(16)
            let create = [
                "campaign", "create", "evening", "--app", Self.app, "--body", "Tonight", "--time-zone", "Europe/Vienna",
                "--local-at", String(past), "--passed-now", "--expires-at", "1h",
            ]
            let created = try rig.waybill(create)
            #expect(created.status == 0, "\(created.errors)")
            let preview = try rig.waybill("campaign", "preview", "evening").output
            #expect(preview.contains("\nat once  1 device  Europe/Vienna\n1 device\n"), "\(preview)")
            #expect(try rig.waybill("campaign", "start", "evening").status == 0)
            try await eventually("it is done\n\(rig.log)", within: 30) {
                try Self.shown("evening", in: rig).contains(#""state":"done""#)
            }
            #expect(try Self.shown("evening", in: rig).contains(#""handed_over":1,"unconfirmed":0"#))
        }

        /// Each order reaches fan-out by itself: it rests, goes on and ends while no schedule runs.
        @Test func ordersHoldWithoutASchedule() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let tokens = (10..<90).map { "aa000000\($0)" }
            try Self.register(Dictionary(uniqueKeysWithValues: tokens.map { ($0, nil) }), in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            let schedule = try rig.start("schedule")
            let create = ["campaign", "create", "slow", "--app", Self.app, "--body", "News", "--per-minute", "60"]
            #expect(try rig.waybill(create).status == 0)
            #expect(try rig.waybill("campaign", "start", "slow").status == 0)
            try await eventually("it has begun; log: \(rig.log)") { try rig.simulator.received().count >= 2 }
            // What is accepted is counted while it is under way.
            try await eventually("outcomes are counted; log: \(rig.log)", within: 60) {
                try Self.shown("slow", in: rig).contains(#""outcomes":{"accepted":"#)
            }
            schedule.signal(SIGTERM)
            _ = schedule.wait()
            let status = try rig.waybill("status", "--json").output
            #expect(status.contains("no_schedule") && status.contains("are under way or new: 1"), "\(status)")
            func record() throws -> BSONDocument? {
                try rig.pool.withClient { (client) throws(MongoError) in
                    try client.collection(database: rig.database, name: "audiences")
                        .findOne(BSONDocument { $0.append("body") { $0.append("$type", string: "string") } })
                }
            }
            func handedOver() throws -> Int { Int(try record()?["handed_over"]?.int ?? 0) }
            #expect(try rig.waybill("campaign", "pause", "slow").status == 0)
            try await eventually("it rests; log: \(rig.log)") { rig.log.contains("fanout.held") }
            let rested = try handedOver()
            #expect(rested < tokens.count)
            #expect(try rig.waybill("campaign", "resume", "slow").status == 0)
            try await eventually("it goes on; log: \(rig.log)") { try handedOver() > rested }
            let cancelled = try rig.waybill("campaign", "cancel", "slow")
            #expect(cancelled.status == 0 && cancelled.errors.contains("nothing more of slow"), "\(cancelled.errors)")
            try await eventually("it ends; log: \(rig.log)") { rig.log.contains("fanout.ended") }
            let audience = try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "audiences")
                    .findOne(BSONDocument { $0.append("state", string: "cancelled") })
            }
            #expect(audience?["reason"]?.string?.hasPrefix("cancelled by ") == true)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count < tokens.count)
        }

        /// Its message waits in fan-out's queue: the order holds for that, too.
        @Test func whatIsCancelledInTheQueueNeedsNoSchedule() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000010": nil], in: rig)
            try rig.startDispatcher()
            let schedule = try rig.start("schedule")
            let create = ["campaign", "create", "slow", "--app", Self.app, "--body", "News"]
            #expect(try rig.waybill(create).status == 0)
            #expect(try rig.waybill("campaign", "start", "slow").status == 0)
            try await eventually("its part is handed over; log: \(rig.log)") { rig.log.contains("schedule.handedOver") }
            #expect(try rig.depth(of: rig.queues.audience) == 1)
            schedule.signal(SIGTERM)
            _ = schedule.wait()
            let cancelled = try rig.waybill("campaign", "cancel", "slow")
            #expect(cancelled.status == 0, "\(cancelled.errors)")
            _ = try rig.start("fanout")
            try await eventually("it ends; log: \(rig.log)") { rig.log.contains("fanout.ended") }
            let audience = try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "audiences")
                    .findOne(BSONDocument { $0.append("state", string: "cancelled") })
            }
            #expect(audience?["reason"]?.string?.hasPrefix("cancelled by ") == true)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().isEmpty)
        }

        /// Slowly, held in the middle, and gone on with; another client's of the same name is left alone.
        @Test func itIsPausedAndGoesOn() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let tokens = (10..<50).map { "aa000000\($0)" }
            try Self.register(Dictionary(uniqueKeysWithValues: tokens.map { ($0, nil) }), in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            func run(_ arguments: String...) throws -> Program.Result {
                try Program.run("waybill", ["campaign"] + arguments + ["--config", rig.configurationFile.path])
            }
            let create = ["--app", Self.app, "--body", "News", "--per-minute", "240"]
            func make(_ name: String, _ more: [String] = [], status: Int32 = 0) throws {
                let all = ["campaign", "create", name] + create + more + ["--config", rig.configurationFile.path]
                #expect(try Program.run("waybill", all).status == status)
            }
            try make("slow")
            #expect(try run("pause", "slow").status == 65, "it is a draft")
            #expect(try run("start", "slow").status == 0)
            try await eventually("it has begun; log: \(rig.log)") { try rig.simulator.received().count >= 2 }
            // The document of its notification is looked at ever more rarely; the answer is of now all the same.
            let sent = try rig.simulator.received().count
            let now = try Self.shown("slow", in: rig)
            let known = try #require(now.firstMatch(of: /"handed_over":(\d+),"unconfirmed":(\d+)/))
            #expect((Int(known.1) ?? 0) + (Int(known.2) ?? 0) >= sent, "\(now)")
            let paused = try run("pause", "slow")
            #expect(paused.status == 0 && paused.errors.contains("were handed over by now"), "\(paused.errors)")
            try await eventually("it rests; log: \(rig.log)") { rig.log.contains("fanout.held") }
            #expect(try run("show", "slow").output.hasPrefix("slow  paused\n"))
            let told = try rig.waybill("explain", "slow", "--json").output
            #expect(told.contains("which was paused by ") && told.contains("waybill campaign resume slow"), "\(told)")
            let records = try rig.waybill("logs", "--batch", "slow", "--json").output
            let apnsID = try #require(records.firstMatch(of: /"([0-9a-f]{8}-[0-9a-f-]{27})"/)?.1)
            let one = try rig.waybill("explain", String(apnsID), "--json").output
            #expect(one.contains("It is of the campaign slow of notifications, which was paused by "), "\(one)")
            // One that is paused before it begins waits, too.
            try make("later", ["--at", "6s"])
            #expect(try run("start", "later").status == 0)
            #expect(try run("pause", "later").status == 0)
            let count = try rig.simulator.received().count
            #expect(count < tokens.count)
            #expect(try run("resume", "slow").status == 0)
            try await eventually("it is done; log: \(rig.log)", within: 60) {
                try Self.shown("slow", in: rig).contains(#""state":"done""#)
            }
            #expect(
                try Self.shown("slow", in: rig).contains(
                    #""handed_over":40,"unconfirmed":0,"outcomes":{"accepted":40}"#
                )
            )
            #expect(try Self.shown("later", in: rig).contains(#""handed_over":0"#))
            #expect(try run("cancel", "slow").errors.contains("nothing of slow was left to cancel"))
            #expect(try run("pause", "slow").status == 65)
            #expect(try run("cancel", "later").status == 0)
            try await eventually("it is cancelled; log: \(rig.log)", within: 30) {
                try run("show", "later").output.contains("cancelled, handed over 0")
            }
            // Nobody, and a name that is not free.
            let none = ["campaign", "create", "none", "--app", Self.app, "--body", "x", "--locale", "xx"]
            #expect(try Program.run("waybill", none + ["--config", rig.configurationFile.path]).status == 0)
            #expect(try run("preview", "none").status == 68)
            #expect(try run("start", "none").status == 68)
            #expect(try run("test", "none", "--user", "nobody").status == 68)
            // Of another client: nobody's way is in anybody's.
            try make("slow", ["--client", "other"])
            #expect(try run("show", "slow").errors.contains("say whose with --client: notifications, other"))
            #expect(try run("show", "slow", "--client", "other").output.hasPrefix("slow  draft\n"))
            try make("slow", ["--client", "other"], status: 65)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 40)
        }
    }
}
