import Foundation
import Testing
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Notifications that others put into the store, sent by `waybill schedule`.
    @Suite struct Schedule {
        private static let app = "com.example.parcels"

        /// A token as long as APNs wants them.
        private static func whole(_ token: String) -> String { token + String(repeating: "0", count: 64 - token.count) }

        private static func register(_ tokens: [String], in rig: Rig) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "devices").bulk()
                for token in tokens {
                    let writer = BSONWriter()
                    writer.append("provider", string: "apns")
                    writer.append("app", string: app)
                    writer.append("environment", string: "production")
                    writer.append("token", string: Self.whole(token))
                    writer.append("kind", string: "token")
                    writer.append("locale", string: token.hasPrefix("aa") ? "de-AT" : "fr")
                    writer.append("enabled", bool: true)
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("register")
            }
        }

        /// Inserts a document as a program would that has nothing to do with Waybill.
        private static func post(_ id: String, in rig: Rig, _ build: (BSONWriter) -> Void = { _ in }) throws {
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                let writer = BSONWriter()
                writer.append("_id", string: id)
                writer.append("app", string: app)
                writer.append("title", string: "Parcel")
                writer.append("body", string: "Hello \(id)")
                build(writer)
                try bulk.insert(writer)
                try bulk.execute().requireDurable("post")
            }
        }

        private static func document(_ id: String, in rig: Rig) throws -> BSONDocument? {
            try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "notifications")
                    .findOne(BSONDocument { $0.append("_id", string: id) })
            }
        }

        private static func state(_ id: String, in rig: Rig) throws -> String? {
            try document(id, in: rig)?["state"]?.string
        }

        private static func end(_ id: String, is state: String, in rig: Rig) async throws -> BSONDocument {
            try await eventually("\(id) is \(state)\n\(rig.log)", within: 30) { try Self.state(id, in: rig) == state }
            return try #require(try document(id, in: rig))
        }

        @Test func whatIsInsertedIsSentAndItsDocumentSaysSo() async throws {
            let rig = try await Rig(settings: "schedule: {client: paper}")
            defer { rig.tearDown() }
            try Self.register(["aa00000001", "aa00000002", "bb00000001"], in: rig)
            try Self.post("before", in: rig) { $0.append("sent", int: 0) }
            try Self.post("history", in: rig) { $0.append("sent", bool: true) }
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            // It was to begin longer ago than anybody waits for an outcome.
            let past = Int64(Date().timeIntervalSince1970 * 1000) - 10 * 86_400_000
            try Self.post("past", in: rig) { writer in
                writer.append("at", date: past)
                writer.append("filter") { $0.append("locale", array: { $0.append(string: "fr") }) }
            }
            let late = try await Self.end("past", is: "sent", in: rig)
            #expect(late["handed_over"]?.int == 1)
            #expect(try #require(late["begins"]?.date) > past + 9 * 86_400_000)
            let before = try await Self.end("before", is: "sent", in: rig)
            #expect(before["sent"]?.bool == true)
            #expect(before["handed_over"]?.int == 3)
            #expect(before["outcomes"]?.document?["accepted"]?.int == 3)
            #expect(before["body"]?.string == "Hello before")
            #expect(before["message"] == nil)
            try Self.post("germans", in: rig) { writer in
                writer.append("filter") { $0.append("locale", array: { $0.append(string: "de") }) }
            }
            #expect(try await Self.end("germans", is: "sent", in: rig)["handed_over"]?.int == 2)
            let records = try await rig.finalRecords(batch: "germans", count: 2)
            #expect(Set(records.compactMap(\.deviceToken)) == Set(["aa00000001", "aa00000002"].map(Self.whole)))
            #expect(Set(records.map(\.client)) == ["paper"])
            try Self.post("nobody", in: rig) { $0.append("devices", array: { $0.append(string: "none") }) }
            let nobody = try await Self.end("nobody", is: "failed", in: rig)
            #expect(nobody["sent"]?.bool == false)
            #expect(nobody["reason"]?.string == "no device that may be pushed to matches")
            // A copy of what was sent says of itself that it was; it is refused, and not called sent.
            for original in ["germans", "nobody"] {
                let fields = try #require(try Self.document(original, in: rig)).fields
                try Self.post("copy of \(original)", in: rig) { writer in
                    for (name, value) in fields where !["_id", "app", "title", "body", "state"].contains(name) {
                        #expect(writer.append(name: name, value: value))
                    }
                }
                let copy = try await Self.end("copy of \(original)", is: "refused", in: rig)
                #expect(copy["sent"]?.bool == false)
                let reason = try #require(copy["reason"]?.string)
                #expect(reason.hasPrefix("audience, begins, ") && reason.contains("this is a copy"), "\(reason)")
            }
            // What was sent elsewhere is left alone.
            #expect(try await Self.end("history", is: "sent", in: rig)["handed_over"] == nil)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 6)
        }

        /// All of it was handed over, and nothing was sent yet.
        @Test func whatWaitsInALaneEndsWhenItsDocumentSaysSo() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            #expect(try rig.waybill("lanes", "pause", "parcels").status == 0)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            try await eventually("it follows; log: \(rig.log)") {
                try rig.waybill("status").output.contains("lane parcels is paused")
            }
            try Self.post("waits", in: rig)
            try await eventually("it is handed over\n\(rig.log)", within: 30) {
                try Self.document("waits", in: rig)?["handed_over"]?.int == 1
            }
            try rig.pool.withClient { (client) throws(MongoError) in
                _ = try client.collection(database: rig.database, name: "notifications").findOneAndUpdate(
                    BSONDocument { $0.append("_id", string: "waits") },
                    update: BSONDocument { update in update.append("$set") { $0.append("cancel", bool: true) } }
                )
            }
            _ = try await Self.end("waits", is: "cancelled", in: rig)
            #expect(try rig.waybill("lanes", "resume", "parcels").status == 0)
            try Self.post("after", in: rig)
            _ = try await Self.end("after", is: "sent", in: rig)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 1)
        }

        /// While no schedule runs, nobody looks at a document, nor hands over what was claimed; the orders hold all the same.
        @Test func whatIsCancelledBeforeItIsHandedOverIsNotSent() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            for id in ["new", "named", "many.1", "many.2", "lifted", "kept"] { try Self.post(id, in: rig) }
            try Self.post("rival", in: rig) { $0.append("client", string: "rival") }
            // Whoever has claimed it was killed.
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try Self.post("claimed", in: rig) { writer in
                writer.append("state", string: "handing_over")
                writer.append("audience", string: "claimed")
                writer.append(
                    "message",
                    string: """
                        {"audience_id":"claimed","client":"notifications","content":{"message":"Hello","sound":"default"},\
                        "select":{"app":"\(Self.app)"}}
                        """
                )
                for (field, time) in [("claimed_at", now - 2000), ("begins", now - 2000), ("due", now)] {
                    _ = writer.append(name: field, value: .date(time))
                }
            }
            for (words, told) in [
                (["cancel", "new"], "1 notification of this name in the store ends as cancelled"),
                (["audience", "cancel", "named"], "1 notification of this name in the store ends as cancelled"),
                (["cancel", "many"], "2 notifications of this name in the store end as cancelled"),
                (["cancel", "rival", "--client", "acme"], "nothing more of rival for acme alone will be sent"),
                (["cancel", "claimed"], "nothing more of claimed will be sent"),
                (["cancel", "lifted"], "1 notification of this name in the store ends as cancelled"),
                (["cancel", "--lift", "lifted"], "1 notification of this name in the store is sent, too"),
            ] {
                let done = try rig.waybill(words)
                // Of what is claimed, or another client's, the order may know nothing.
                let isDone = done.status == 0 || ["rival", "claimed"].contains(words[1]) && done.status == 66
                #expect(isDone && done.errors.contains(told), "\(words): \(done.errors)")
            }
            let explained = try rig.waybill("explain", "--as", "batch", "new", "--json").output
            #expect(explained.contains("cancelled before it was handed over"), "\(explained)")
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            for id in ["new", "named", "many.1", "many.2", "claimed"] {
                let reason = try await Self.end(id, is: "cancelled", in: rig)["reason"]?.string
                #expect(reason?.hasPrefix("cancelled by ") == true, "\(id): \(reason ?? "")")
            }
            for id in ["lifted", "kept", "rival"] { _ = try await Self.end(id, is: "sent", in: rig) }
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 3)
        }

        @Test func whatCannotBeSentIsRefusedInTheDocument() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            _ = try rig.start("schedule")
            try Self.post("typo", in: rig) { $0.append("titel", string: "x") }
            try Self.post("long", in: rig) { writer in
                writer.append("data") { $0.append("text", string: String(repeating: "x", count: 5000)) }
            }
            // Doubt about whether it is to be sent is no leave to send it.
            for (name, value) in [("cancel", BSONValue.string("true")), ("held", .int(1)), ("sent", .string("true"))] {
                try Self.post(name, in: rig) { _ = $0.append(name: name, value: value) }
                let reason = try await Self.end(name, is: "refused", in: rig)["reason"]?.string
                #expect(reason?.hasPrefix("\(name): must be true or false") == true, "\(reason ?? "")")
            }
            let typo = try await Self.end("typo", is: "refused", in: rig)
            #expect(typo["sent"]?.bool == false)
            #expect(typo["reason"]?.string?.hasPrefix("titel: is not known; known: app, at, body, cancel,") == true)
            let long = try #require(try await Self.end("long", is: "refused", in: rig)["reason"]?.string)
            #expect(long.hasPrefix("content: is ") && long.contains("4096"), "\(long)")
            #expect(try rig.depth(of: rig.queues.audience) == 0)
        }

        /// Nobody stops the others: not by what a document is called, nor by its size.
        @Test func whatIsOddOrHugeIsToldAndTheOthersGoOn() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.pool.withClient { (client) throws(MongoError) in
                let collection = client.collection(database: rig.database, name: "notifications")
                func insert(_ build: (BSONWriter) -> Void) throws(MongoError) {
                    let bulk = collection.bulk()
                    let writer = BSONWriter()
                    build(writer)
                    writer.append("app", string: Self.app)
                    try bulk.insert(writer)
                    try bulk.execute().requireDurable("insert")
                }
                for number in 0..<60 {
                    try insert { writer in
                        switch number % 6 {
                        case 0: writer.append("_id", double: Double(number) + 0.5)
                        case 1: writer.append("_id") { $0.append("n", int: number) }
                        case 2: writer.append("_id", date: Int64(number))
                        case 3: writer.append("_id", string: String(repeating: "x", count: 100_000 + number))
                        case 4: writer.append("_id", timestamp: Int64(number))
                        default: writer.append("_id", uuid: 1, UInt64(number))
                        }
                        writer.append("body", string: "odd")
                    }
                }
                try insert { $0.append("_id", bool: true) }
                try insert { $0.appendNull("_id") }
                for (name, bytes) in [("large", 2 << 20), ("full", (16 << 20) - 200)] {
                    try insert { writer in
                        writer.append("_id", string: name)
                        writer.append("body", string: String(repeating: "x", count: bytes))
                    }
                }
            }
            try Self.post("good", in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            _ = try await Self.end("good", is: "sent", in: rig)
            let large = try await Self.end("large", is: "refused", in: rig)
            #expect(large["reason"]?.string == "the document has more than 1200000 bytes")
            try await eventually("the full one is told; log: \(rig.log)") { rig.log.contains("schedule.skipped") }
            let open = try rig.pool.withClient { (client) throws(MongoError) in
                try client.collection(database: rig.database, name: "notifications")
                    .countDocuments(BSONDocument { $0.appendNull("state") })
            }
            #expect(open == 1, "all but the full one have a state")
        }

        /// What its client has sent under the same name before is none of its outcomes.
        @Test func itsOutcomesAreItsOwn() async throws {
            let rig = try await Rig(settings: "schedule: {client: paper}")
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.startDispatcher()
            let earlier = Sample.batch(
                "news",
                tokens: [Sample.token("bb", 1), Sample.token("bb", 2)],
                extra: #","client":"paper""#
            )
            try rig.publish(earlier, timestamp: UInt64(Date().timeIntervalSince1970) - 600)
            try await eventually("it is sent; log: \(rig.log)") { try rig.counts() == ["accepted": 2] }
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            try Self.post("news", in: rig)
            let news = try await Self.end("news", is: "sent", in: rig)
            #expect(news["outcomes"]?.document?["accepted"] == .int(1))
            #expect(news["handed_over"] == .int(1))
            let shown = try rig.waybill("audience", "show", "news", "--json")
            #expect(shown.output.contains(#""outcomes":{"accepted":1}"#), "\(shown.output)")
            #expect(try rig.counts() == ["accepted": 3])
        }

        /// Whoever inserts a document with a state of another system hears of it, and the others go on.
        @Test func aStateThatNobodyFollowsIsTold() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                for (name, state) in [
                    ("foreign", "posted"), ("own", "sending"), ("claim", "claimed"), ("dated", "sending"),
                    ("silent", "handing_over"),
                ] {
                    let writer = BSONWriter()
                    if ["dated", "silent"].contains(name) { writer.append("due", date: 1) }
                    if name == "silent" {
                        writer.append("audience", string: name)
                        writer.append("begins", date: 1)
                    }
                    writer.append("_id", string: name)
                    writer.append("app", string: Self.app)
                    writer.append("body", string: "Hello")
                    writer.append("state", string: state)
                    try bulk.insert(writer)
                }
                let broken = BSONWriter()
                broken.append("_id", string: "broken")
                broken.append("app", string: Self.app)
                broken.append("body", utf8: [0x61, 0xC3])
                try bulk.insert(broken)
                try bulk.execute().requireDurable("insert")
            }
            try Self.post("good", in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            _ = try await Self.end("good", is: "sent", in: rig)
            let broken = try await Self.end("broken", is: "refused", in: rig)
            #expect(broken["reason"]?.string == "body: is not UTF-8")
            for words in [
                "state is posted, which is none of cancelled, claimed,", "state is sending, and due is no date",
                "state is claimed, and claimed_until is no date", "state is sending, and audience is no text",
                "state is handing_over, and message is no text",
            ] {
                try await eventually("\(words) is told; log: \(rig.log)") { rig.log.contains(words) }
            }
            #expect(rig.log.components(separatedBy: "schedule.unfollowed").count == 6, "each once")
            let dated = try await Self.end("dated", is: "sending", in: rig)
            #expect(dated["due"]?.date == 1 && dated["claimed_by"] == nil)
            try await eventually("status tells of it") {
                try rig.waybill("status", "--json").output.contains("document_unfollowed")
            }
        }

        /// `"7"` and `7` are one name: the second one is not said to be sent because the first one was.
        ///
        /// Also where both say the same.
        @Test(arguments: [false, true]) func aNameThatAnotherAudienceHasIsTold(isAlike: Bool) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            try Self.post("7", in: rig)
            _ = try await Self.end("7", is: "sent", in: rig)
            let number = BSONDocument { $0.append("_id", int: 7) }
            func document() throws -> BSONDocument? {
                try rig.pool.withClient { (client) throws(MongoError) in
                    try client.collection(database: rig.database, name: "notifications").findOne(number)
                }
            }
            try rig.pool.withClient { (client) throws(MongoError) in
                let bulk = client.collection(database: rig.database, name: "notifications").bulk()
                let writer = BSONWriter()
                writer.append("_id", int: 7)
                writer.append("app", string: Self.app)
                writer.append("title", string: "Parcel")
                writer.append("body", string: isAlike ? "Hello 7" : "Hello number")
                try bulk.insert(writer)
                try bulk.execute().requireDurable("post")
            }
            try await eventually("it has failed; log: \(rig.log)", within: 30) {
                try document()?["state"]?.string == "failed"
            }
            let found = try document()
            #expect(found?["sent"]?.bool == false)
            #expect(found?["reason"]?.string == "another audience has the name 7")
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 1)
        }

        @Test func whatIsLaterWaitsAndCanBeCancelled() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try Self.post("soon", in: rig) { $0.append("at", date: now + 4000) }
            try Self.post("late", in: rig) { $0.append("at", date: now + 3_600_000) }
            _ = try await Self.end("late", is: "scheduled", in: rig)
            let sent = try await Self.end("soon", is: "sent", in: rig)
            #expect(try #require(sent["sent_at"]?.date) >= now + 4000)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 1)
        }

        /// Two at once, one of them killed again and again: each notification becomes one audience, and is pushed once.
        @Test func killedAtAnyMomentEachIsSentOnce() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try Self.register(["aa00000001"], in: rig)
            try rig.startDispatcher()
            _ = try rig.start("fanout")
            _ = try rig.start("schedule")
            var victim = try rig.start("schedule")
            for number in 0..<60 {
                try Self.post("n\(number)", in: rig)
                guard number % 12 == 11 else { continue }
                try await eventually("it goes on\n\(rig.log)", within: 30) {
                    try Self.state("n\(number - 11)", in: rig) != nil
                }
                victim.signal(SIGKILL)
                _ = victim.wait()
                victim = try rig.start("schedule")
            }
            for number in 0..<60 {
                #expect(try await Self.end("n\(number)", is: "sent", in: rig)["handed_over"]?.int == 1)
                #expect(try await rig.finalRecords(batch: "n\(number)", count: 1).count == 1)
            }
            #expect(try rig.depth(of: rig.queues.rejected) == 0)
            // Its record is complete then.
            rig.simulator.stop()
            #expect(try rig.simulator.received().count == 60)
        }
    }
}
