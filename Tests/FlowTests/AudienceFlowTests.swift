import Foundation
import Testing
import WaybillAMQP
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Audiences: devices of the registry, found and handed over by `waybill fanout`.
    @Suite struct Audiences {
        private static let app = "com.example.parcels"

        private static func token(_ number: Int) -> String { "aa" + String(format: "%08d", number) }

        /// Devices of an app as its service would register them, the even ones tagged.
        private static func register(_ count: Int, in rig: Rig, environment: String = "production") throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let devices = client.collection(database: rig.database, name: "devices")
                for start in stride(from: 0, to: count, by: 5000) {
                    let bulk = devices.bulk()
                    for number in start..<min(count, start + 5000) {
                        let writer = BSONWriter()
                        writer.append("provider", string: "apns")
                        writer.append("app", string: app)
                        writer.append("environment", string: environment)
                        writer.append("token", string: token(number))
                        writer.append("kind", string: "token")
                        writer.append("device", string: "phone\(number)")
                        writer.append("user", string: "user\(number % 10)")
                        writer.append("locale", string: number.isMultiple(of: 3) ? "de-AT" : "fr")
                        writer.append("app_version", string: "2.\(number % 12)")
                        writer.append("enabled", bool: number % 100 != 99)
                        if number.isMultiple(of: 2) {
                            writer.append("tags", array: { $0.append(string: "even") })
                        }
                        try bulk.insert(writer)
                    }
                    try bulk.execute().requireDurable("register")
                }
            }
        }

        private static func message(
            _ id: String,
            of client: String = "acme",
            select: String,
            more: String = ""
        ) -> String {
            """
            {"audience_id":"\(id)","client":"\(client)","content":{"message":"News","sound":"default"},\
            "select":\(select)\(more)}
            """
        }

        private static func state(of id: String, in rig: Rig) throws -> String {
            let shown = try rig.waybill("audience", "show", id)
            return shown.output
        }

        /// How far it is, asked fast enough to meet it in the middle.
        private static func expanded(_ id: String, in rig: Rig) throws -> Int64 {
            try rig.pool.withClient { (client) throws(MongoError) in
                let audiences = client.collection(database: rig.database, name: "audiences")
                return try audiences.findOne(BSONDocument { $0.append("name", string: id) })?["expanded"]?.int ?? 0
            }
        }

        /// What fan-out would reject whole is refused by whoever sends it, with the field and its limit; nothing is published.
        @Test(arguments: [
            (#"{"message":"\#(String(repeating: "x", count: 5000))"}"#, "4096"),
            (#"{"payload":{"data":{"a":"b"}}}"#, "another provider"), (#"{"message":"News","sund":"x"}"#, "sund"),
        ])
        func whatNoLaneCouldSendIsRefusedBeforeItIsPublished(_ content: String, _ words: String) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(2, in: rig)
            let body = #"{"audience_id":"odd","client":"acme","content":\#(content),"select":{"app":"\#(Self.app)"}}"#
            for options in [["--dry-run"], []] {
                let sent = try rig.waybill(["audience", "send", "-"] + options, input: body)
                #expect(sent.status == 65, "\(sent.output)\(sent.errors)")
                #expect(sent.errors.contains("content: ") && sent.errors.contains(words), "\(sent.errors)")
            }
            #expect(try rig.depth(of: rig.queues.audience) == 0)
        }

        /// Ctrl-C while the broker confirms nothing: whoever sends learns what may become of it.
        @Test(arguments: [SIGINT, SIGTERM]) func whoInterruptsASendIsToldWhatMayBeSent(signal: Int32) async throws {
            let services = try TestServices.startOwn()
            defer { services.stop() }
            let rig = try await Rig(services: services)
            defer { rig.tearDown() }
            try Self.register(2, in: rig)
            let words = ["audience", "send", "-", "--config", rig.configurationFile.path]
            let body = Self.message("news-7", select: #"{"app":"\#(Self.app)"}"#)
            try await services.withAlarm {
                let sending = try Program("waybill", words, input: body)
                try await eventually("it waits; said: \(sending.errorText)") { sending.errorText.contains("an alarm") }
                sending.signal(signal)
                let sent = sending.wait()
                #expect(sent.status == 75, "\(sent.errors)")
                for words in [
                    "interrupted; news-7 was given to the broker",
                    "which has not confirmed it because of its alarm (low on disk)",
                    "waybill audience show news-7 --client acme", "waybill audience cancel news-7 --client acme",
                ] {
                    #expect(sent.errors.contains(words), "\(sent.errors)")
                }
            }
            #expect(try rig.waybill("audience", "send", "-", input: body).status == 0)
        }

        @Test func eachSelectionReachesItsDevicesAndARepeatReachesNobody() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(1300, in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            let selections = [
                "all": #"{"app":"com.example.parcels"}"#,
                "tagged": #"{"app":"com.example.parcels","filter":{"tags":["even"],"locale":["de"]}}"#,
                "version": #"{"app":"com.example.parcels","filter":{"app_version":{"from":"2.10"}}}"#,
                "person": #"{"app":"com.example.parcels","users":["user7"]}"#,
                "phones": #"{"app":"com.example.parcels","devices":["phone5","phone6","nobody"]}"#,
            ]
            func isMeant(_ number: Int, _ name: String) -> Bool {
                guard number % 100 != 99 else { return false }
                return switch name {
                case "tagged": number.isMultiple(of: 6)
                case "version": number % 12 >= 10
                case "person": number % 10 == 7
                case "phones": number == 5 || number == 6
                default: true
                }
            }
            let bodies = selections.mapValues { $0 }.map { name, select in Self.message(name, select: select) }
            for body in bodies { try rig.publish(body, to: rig.queues.audience) }
            var sent = 0
            for name in selections.keys {
                let meant = Set((0..<1300).filter { isMeant($0, name) }.map(Self.token))
                let records = try await rig.finalRecords(batch: name, count: meant.count)
                #expect(Set(records.compactMap(\.deviceToken)) == meant, "\(name)")
                sent += meant.count
                try await eventually("\(name) is done\n\(rig.log)") {
                    try Self.state(of: name, in: rig).contains("\(name)  done")
                }
                #expect(try Self.state(of: name, in: rig).contains("handed over     \(meant.count)\n"), "\(name)")
            }
            for body in bodies { try rig.publish(body, to: rig.queues.audience) }
            try rig.publish(
                Self.message("all", select: #"{"app":"com.example.parcels","users":["user1"]}"#),
                to: rig.queues.audience
            )
            try rig.publish(#"{"audience_id":"none"}"#, to: rig.queues.audience)
            try await eventually("the conflict and the unreadable one are rejected\n\(rig.log)") {
                try rig.depth(of: rig.queues.rejected) == 2
            }
            let reasons = try rig.takeAll(from: rig.queues.rejected).map { $0.properties[.reason]?.text }
            #expect(Set(reasons) == ["conflicting_audience", "missing_field"])
            try await eventually("the repeats are acknowledged") { try rig.depth(of: rig.queues.audience) == 0 }
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == sent)
        }

        @Test func whoHasLoggedOutIsNotReachedAndWithoutALaneIsCounted() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(20, in: rig)
            try Self.register(3, in: rig, environment: "sandbox")
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "device_links").bulk()
                for (user, device, isEnabled) in [
                    ("user7", "phone7", false), ("user7", "phone17", false), ("anna", "phone7", true),
                ] {
                    let writer = BSONWriter()
                    writer.append("app", string: Self.app)
                    writer.append("device", string: device)
                    writer.append("user", string: user)
                    writer.append("enabled", bool: isEnabled)
                    writer.append("since", date: 1)
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("link")
            }
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            let users = #"{"app":"com.example.parcels","users":["user7","anna","user2"]}"#
            try rig.publish(Self.message("people", select: users), to: rig.queues.audience)
            let records = try await rig.finalRecords(batch: "people", count: 3)
            #expect(Set(records.compactMap(\.deviceToken)) == Set([7, 2, 12].map(Self.token)))
            try await eventually("it is done\n\(rig.log)") {
                try Self.state(of: "people", in: rig).contains("without a lane  1\n")
            }
        }

        /// By a driver of their own, others may write what Waybill would not: the rest goes on.
        @Test func aDeviceThatSaysNothingForCertainIsNamedAndSentNothing() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(3, in: rig)
            let token = Sample.token("dd", 77)
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                let writer = BSONWriter()
                let fields = [
                    ("_id", "by-hand"), ("provider", "apns"), ("app", Self.app), ("environment", "production"),
                    ("token", token), ("token", Self.token(0)),
                ]
                for (name, value) in fields { _ = writer.append(name: name, value: .string(value)) }
                writer.append("enabled", bool: true)
                try bulk.insert(writer)
                try bulk.execute().requireDurable("register")
            }
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            try rig.publish(Self.message("all", select: #"{"app":"\#(Self.app)"}"#), to: rig.queues.audience)
            try await eventually("it is done\n\(rig.log)") {
                let state = try Self.state(of: "all", in: rig)
                return state.contains("all  done") && state.contains("without a lane  1\n")
            }
            let records = try await rig.finalRecords(batch: "all", count: 3)
            #expect(Set(records.compactMap(\.deviceToken)) == Set([0, 1, 2].map(Self.token)))
            #expect(rig.log.contains("fanout.devicesRefused") && rig.log.contains("by-hand: token appears twice"))
            #expect(!rig.log.contains(token))
        }

        /// Whoever prepares it is told, and what comes all the same, by AMQP or in the store, is sent back with the reason.
        @Test func whoIsBoundToAppsReachesNoOther() async throws {
            let rig = try await Rig(
                settings: """
                    clients:
                      acme: {apps: [com.example.parcels]}
                      other: {apps: [com.example.parcels]}
                      globex: {apps: [com.example.chat]}
                    """
            )
            defer { rig.tearDown() }
            try Self.register(2, in: rig)
            let words = "the client globex may not reach it"
            let campaign = ["--client", "globex", "--app", Self.app, "--title", "News", "--body", "There is news"]
            let prepared = try rig.waybill(["campaign", "create", "news"] + campaign)
            #expect(prepared.status == 65 && prepared.errors.contains(words), "\(prepared.errors)")
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                let writer = BSONWriter()
                for (name, value) in [("_id", "posted"), ("client", "globex"), ("app", Self.app), ("body", "News")] {
                    _ = writer.append(name: name, value: .string(value))
                }
                try bulk.insert(writer)
                try bulk.execute().requireDurable("post")
            }
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            for client in ["globex", "acme", "other", "unbound"] {
                // Names are a client's own.
                let body = Self.message("news", of: client, select: #"{"app":"\#(Self.app)"}"#)
                try rig.publish(body, to: rig.queues.audience)
            }
            try await eventually("the two that may are handed over, and two are not\n\(rig.log)") {
                try rig.depth(of: rig.queues.bulk) == 2 && rig.depth(of: rig.queues.rejected) == 2
            }
            let rejected = try rig.takeAll(from: rig.queues.rejected)
            #expect(rejected.allSatisfy { $0.properties[.reason]?.text == "forbidden_app" })
            let bodies = rejected.map { String(decoding: $0.body, as: UTF8.self) }
            for client in ["globex", "unbound"] {
                #expect(bodies.contains { $0.contains(#""client":"\#(client)""#) }, "\(client)")
            }
            let several = try rig.waybill("audience", "show", "news")
            #expect(several.status == 65 && several.errors.contains("acme, other; say which"), "\(several.errors)")
            #expect(try rig.waybill("audience", "show", "news", "--client", "globex").status == 66)
            #expect(try rig.waybill("audience", "show", "news", "--client", "other").output.hasPrefix("news  "))
            try await eventually("the notification in the store is refused\n\(rig.log)") {
                try rig.pool.withClient { (client) throws(MongoError) in
                    let posted = try client.collection(database: rig.database, name: "notifications")
                        .findOne(BSONDocument { $0.append("_id", string: "posted") })
                    return posted?["state"]?.string == "refused" && posted?["reason"]?.string?.contains(words) == true
                }
            }
        }

        /// No dispatcher runs, so that the bulk queue fills up to what fan-out leaves there.
        @Test func fanoutWaitsForTheBulkQueueAndIsCancelledBetweenPages() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(110_000, in: rig)
            _ = try rig.start("fanout")
            let all = #"{"app":"com.example.parcels"}"#
            try rig.publish(Self.message("big", select: all, more: #","cancel_key":"k""#), to: rig.queues.audience)
            try await eventually("a hundred messages wait\n\(rig.log)", within: 120) {
                try rig.depth(of: rig.queues.bulk) == 100
            }
            // A single user's devices do not wait for it.
            let one = #"{"app":"com.example.parcels","devices":["phone5"]}"#
            try rig.publish(Self.message("one", select: one), to: rig.queues.audience)
            try await eventually("one message comes to the dispatch queue\n\(rig.log)") {
                try rig.depth(of: rig.queues.dispatch) == 1
            }
            #expect(try rig.depth(of: rig.queues.bulk) == 100)
            #expect(try rig.waybill("audience", "cancel", "k").status == 0)
            try await eventually("it is cancelled\n\(rig.log)") {
                try Self.state(of: "big", in: rig).contains("big  cancelled")
            }
            #expect(try Self.state(of: "big", in: rig).contains("handed over     100000\n"))
            #expect(try rig.depth(of: rig.queues.bulk) == 100)
            let told = try rig.waybill("explain", "--as", "batch", "big", "--json")
            #expect(told.status == 0 && told.output.contains("after 100000 were handed over"), "\(told.output)")
            // Nothing is left to cancel: the first order stands, with its time.
            _ = try rig.waybill("audience", "cancel", "big")
            let orders = try rig.waybill("cancel", "--list", "--json").output
            let again = try rig.waybill("audience", "cancel", "big")
            #expect(again.status == 0 && again.errors.contains("has ended as cancelled"), "\(again.errors)")
            #expect(try rig.waybill("cancel", "--list", "--json").output == orders)
            for name in ["big", "k"] {
                let lifted = try rig.waybill("cancel", "--lift", name)
                #expect(lifted.status == 0, "\(lifted.errors)")
                #expect(lifted.errors.contains("the audience big of acme has ended as cancelled"), "\(lifted.errors)")
                #expect(!lifted.errors.contains("what still waits"), "\(lifted.errors)")
            }
        }

        /// An order holds for everything that was published before it: also for what waits in the queue while nobody expands it.
        @Test func whatIsCancelledInItsQueueIsNotSent() async throws {
            let door = try FrontDoor()
            let rig = try await Rig(
                settings: "serve: {listen: \"127.0.0.1:\(door.port)\"}\nclients: {acme: {apps: [\(Self.app)]}}"
            )
            defer { rig.tearDown() }
            try Self.register(3, in: rig)
            try rig.startDispatcher()
            _ = try rig.start("serve")
            let key = try rig.waybill("keys", "create", "--name", "a", "--role", "operator", "--all-clients").output
            func send(_ id: String, _ more: String...) throws {
                let words = ["audience", "send", "--id", id, "--client", "acme", "--app", Self.app, "--message", id]
                let sent = try rig.waybill(words + more)
                #expect(sent.status == 0, "\(sent.errors)")
            }
            for id in ["named", "batch", "posted", "lifted"] { try send(id) }
            try send("keyed", "--cancel-key", "autumn")
            // A producer that says nothing of when.
            try rig.publish(Self.message("undated", select: #"{"app":"\#(Self.app)"}"#), to: rig.queues.audience)
            for words in [
                ["audience", "cancel", "named"], ["cancel", "batch"], ["audience", "cancel", "autumn"],
                ["cancel", "undated", "--client", "acme"], ["cancel", "later"], ["cancel", "lifted"],
                ["cancel", "--lift", "lifted"],
            ] {
                let done = try rig.waybill(words)
                // Nothing of a batch is known that lies in a queue.
                let isDone = done.status == 0 || words[0] == "cancel" && done.status == 66
                #expect(isDone, "\(words): \(done.errors)")
            }
            try await eventually("the order over HTTP is taken") {
                door.post(
                    "/v1/batches/posted/cancel",
                    "{}",
                    key: key.trimmingCharacters(in: .whitespacesAndNewlines)
                ) == 202
            }
            // A timestamp counts whole seconds: what comes in a later one than the orders is another audience.
            let ordered = Date()
            try await eventually("a second is over") { Date().timeIntervalSince(ordered) > 1 }
            try send("later")
            try send("next", "--cancel-key", "autumn")
            #expect(try rig.depth(of: rig.queues.audience) == 8)
            _ = try rig.start("fanout")
            for id in ["later", "next", "lifted"] { _ = try await rig.finalRecords(batch: id, count: 3) }
            for id in ["named", "batch", "posted", "keyed", "undated"] {
                try await eventually("\(id) is cancelled; log: \(rig.log)") {
                    try Self.state(of: id, in: rig).contains("\(id)  cancelled")
                }
                let told = try rig.waybill("explain", "--as", "batch", id, "--json").output
                #expect(!told.contains("clock") && told.contains("after 0 were handed over"), "\(told)")
            }
            let told = try rig.waybill("explain", "--as", "batch", "later", "--json").output
            #expect(told.contains("was sent as a new one") && !told.contains("clock"), "\(told)")
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 9)
        }

        /// Killed again and again while it expands, beside another one: every device has one record, and what was pushed
        /// twice says so.
        @Test func nothingIsMissingAndNothingIsTwiceWithoutItsMark() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let count = 30_000
            try Self.register(count, in: rig)
            try rig.startDispatcher()
            let all = #"{"app":"com.example.parcels"}"#
            var fanout = try rig.start("fanout")
            try rig.publish(Self.message("killed", select: all), to: rig.queues.audience)
            for round in 1...2 {
                try await eventually("it goes on in round \(round)\n\(rig.log)", within: 60) {
                    try Self.expanded("killed", in: rig) >= round * 8000
                }
                fanout.signal(SIGKILL)
                _ = fanout.wait()
                fanout = try rig.start("fanout")
            }
            try await eventually("it is done\n\(rig.log)", within: 120) {
                try Self.state(of: "killed", in: rig).contains("killed  done")
            }
            let meant = (0..<count).count { $0 % 100 != 99 }
            let records = try await rig.finalRecords(batch: "killed", count: meant)
            #expect(Set(records.compactMap(\.deviceToken)).count == meant)
            #expect(try Self.state(of: "killed", in: rig).contains("handed over     \(meant)\n"))
            let pushes = Dictionary(grouping: try rig.simulator.received().compactMap(\.token), by: \.self)
            #expect(pushes.count == meant)
            let marked = Set(records.filter { $0.isRepeat == true }.compactMap(\.deviceToken))
            let unmarked = pushes.filter { $0.value.count > 1 && !marked.contains($0.key) }
            #expect(unmarked.isEmpty, "\(unmarked.count) of \(pushes.count) were pushed twice without a mark")
        }
    }
}
