import Foundation
import Testing
import WaybillMessages
import WaybillMongo
import WaybillTestSupport

extension FlowTests {
    /// What operators order, and what dispatchers do about it.
    struct OrderFlowTests {
        /// The state that every dispatcher reports of the lane.
        private func state(_ rig: Rig) throws -> String {
            let listed = try rig.waybill("lanes", "list", "--json")
            guard let object = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [String: Any],
                let places = object["dispatchers"] as? [[String: Any]]
            else { return "unknown" }
            return places.compactMap { $0["state"] as? String }.joined(separator: " ")
        }

        private func body(_ batch: String, _ prefix: String, _ count: Int) -> String {
            let tokens = (0..<count).map { #""\#(Sample.token(prefix, $0))""# }.joined(separator: ",")
            return #"{"batch_id":"\#(batch)","client":"acme","message":"hello","device_tokens":[\#(tokens)]}"#
        }

        @Test(arguments: ["pause", "drain"])
        func aLaneThatIsOrderedToStopStopsInEveryDispatcherUntilItIsResumed(order: String) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            for word in ["resume", order] {
                let stray = try rig.waybill("lanes", word, "parcel")
                #expect(stray.status == 66, "a lane that nobody has")
                #expect(stray.errors.contains("not configured here"), "\(stray.errors)")
                #expect(stray.errors.contains("known: parcels;"), "\(stray.errors)")
            }
            #expect(try rig.waybill("lanes", "list", "--json").output.isEmpty, "an order was left behind")
            // The order is there before the dispatcher is: the lane is configured.
            let paused = try rig.waybill("lanes", order, "parcels", "--note", "a new certificate")
            #expect(paused.status == 0, "\(paused.errors)")
            #expect(paused.errors.contains("no dispatcher runs"), "\(paused.errors)")
            try rig.startDispatcher()
            let word = order == "pause" ? "paused" : "draining"
            try await eventually("it follows; log: \(rig.log)") { try state(rig) == word }
            try rig.publish(body("waits", "aa", 3))
            try await eventually("its messages wait in the delay queues") {
                try rig.depth(of: rig.queues.dispatch) == 0
            }
            let status = try rig.waybill("status")
            #expect(status.status == 75, "\(status.output)")
            #expect(status.output.contains("lane parcels is \(word)"), "\(status.output)")
            #expect(status.output.contains("a new certificate"))
            let slip = try rig.waybill("lanes", "pause", "parcel")
            #expect(slip.status == 66, "there is no such lane")
            #expect(slip.errors.contains("they have: parcels; "), "\(slip.errors)")
            let search = try rig.waybill("logs", "--lane", "parcel")
            #expect(search.errors.contains("nobody has a lane parcel; known: parcels"), "\(search.errors)")
            let without = try rig.waybill("logs", "--lane", "!parcel")
            #expect(without.errors.contains("nobody has a lane parcel; known: parcels"), "\(without.errors)")
            #expect(try !rig.waybill("stats", "--lane", "parcels").errors.contains("known: "))
            #expect(try rig.counts().isEmpty)
            #expect(try rig.simulator.received().isEmpty)
            let resumed = try rig.waybill("lanes", "resume", "parcels")
            #expect(resumed.status == 0)
            #expect(resumed.errors.contains("of 1 dispatcher follows"), "\(resumed.errors)")
            let records = try await rig.finalRecords(batch: "waits", count: 3)
            #expect(records.allSatisfy { $0.outcome == "accepted" && $0.attempts == 1 })
            for record in records {
                let wait = try #require(record.waited?.first)
                #expect(wait.reason == "paused" && wait.until != nil && wait.times >= 1)
            }
            let told = try rig.waybill("explain", records[0].id).output
            let words = told.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("an operator had paused its lane"), "\(told)")
            try await eventually("it is open again") { try state(rig) == "open" }
            try await tellWhatNobodyHas(rig)
            let ahead = try rig.waybill("lanes", "pause", "parcel", "--ahead")
            #expect(ahead.status == 0)
            #expect(ahead.errors.contains("no running dispatcher has this lane; they have: parcels"), "\(ahead.errors)")
        }

        /// An export that is empty, and an order that stops nothing, because of a slip of the pen.
        private func tellWhatNobodyHas(_ rig: Rig) async throws {
            let folder = try TemporaryFolder()
            let export = try rig.waybill("export", "--lane", "parcel", "--output", "\(folder.path)/a")
            #expect(export.status == 0)
            #expect(export.errors.contains("nobody has a lane parcel; known: parcels"), "\(export.errors)")
            let without = try rig.waybill("export", "--lane", "!parcel", "--output", "\(folder.path)/b")
            #expect(without.errors.contains("nobody has a lane parcel; known: parcels"), "\(without.errors)")
            let batch = try rig.waybill("export", "--batch", "wait", "--output", "\(folder.path)/c")
            #expect(batch.errors.contains("nothing is recorded of a batch wait"), "\(batch.errors)")
            #expect(try !rig.waybill("export", "--output", "\(folder.path)/d").errors.contains("known: "))
            // Statistics are written every few seconds.
            try await eventually("clients are known") {
                try rig.waybill("cancel", "--list", "--client", "acmee").errors.contains(
                    "for a client acmee; known: acme"
                )
            }
            for arguments in [["cancel", "waits"], ["cancel", "--lift", "waits"]] {
                let order = try rig.waybill(arguments + ["--client", "acmee"])
                #expect(order.errors.contains("for a client acmee; known: acme"), "\(order.errors)")
                let known = try rig.waybill(arguments + ["--client", "acme"])
                #expect(!known.errors.contains("known: "), "\(known.errors)")
            }
        }

        /// Some items of a message are sent, and the others taken back when the lane is paused.
        @Test func aPausedLaneIsInTheRecordsOfTheItemsThatItHeldBack() async throws {
            let rules = #"{"rules":[{"token_prefix":"","delay_ms":20}]}"#
            let rig = try await Rig(rules: rules, simulatorArguments: ["--streams", "5"])
            defer { rig.tearDown() }
            try rig.startDispatcher()
            try rig.publish(body("held", "aa", 2000), timestamp: UInt64(Date().timeIntervalSince1970))
            try await eventually("some is sent: \(rig.log)") { try rig.simulatorHasSeen(1) }
            #expect(try rig.waybill("lanes", "pause", "parcels").status == 0)
            try await eventually("the others are put off; log: \(rig.log)") {
                try rig.counts().reduce(0) { $0 + $1.value } == 2000
            }
            let deferred = try rig.records("--outcome", "deferred")
            #expect(!deferred.isEmpty)
            for record in deferred where record.attempts == 0 {
                #expect(record.waited?.last?.reason == "paused" && record.waited?.last?.until == nil)
            }
            #expect(try rig.waybill("lanes", "resume", "parcels").status == 0)
            let records = try await rig.finalRecords(batch: "held", count: 2000, within: 60)
            let held = Set(deferred.map(\.id))
            for record in records {
                #expect(record.outcome == "accepted" && record.isRepeat == nil)
                // The pause ends with the order; what was left of the delay is told beside it.
                let reasons = record.waited?.map(\.reason)
                #expect(reasons?.first == (held.contains(record.id) ? "paused" : nil))
                #expect(reasons?.dropFirst().allSatisfy { $0 == "delayed" } ?? true)
                #expect(record.waited?.allSatisfy { $0.until != nil } ?? true)
            }
        }

        @Test func whatIsNotSentOfACancelledBatchNeverIs() async throws {
            let rules = #"{"rules": [{"token_prefix": "5003", "status": 503, "reason": "ServiceUnavailable"}]}"#
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let earlier = UInt64(Date().timeIntervalSince1970) - 5
            try rig.publish(body("parcels-7", "aa", 2), timestamp: earlier)
            try rig.publish(body("parcels-7.1", "5003", 2), timestamp: earlier)
            try rig.publish(body("parcels-8", "5003", 1), timestamp: earlier)
            try await eventually("some is sent, some waits; log: \(rig.log)") {
                try rig.counts() == ["accepted": 2, "deferred": 3]
            }
            #expect(try rig.waybill("cancel", "parcels-7", "--note", "wrong text").status == 0)
            try await eventually("what waited is cancelled; log: \(rig.log)") {
                try rig.counts() == ["accepted": 2, "deferred": 1, "cancelled": 2]
            }
            for record in try rig.records("--outcome", "cancelled") {
                #expect(record.batchID == "parcels-7.1")
                #expect(record.reason?.hasPrefix("by ") == true)
                #expect(record.attempts >= 1)
            }
            // Published before the order, and consumed after it.
            try rig.publish(body("parcels-7", "bb", 2), timestamp: earlier)
            try await eventually("what comes is not sent") { try rig.counts()["cancelled"] == 4 }
            // Another batch of the same name.
            try rig.publish(body("parcels-7", "cc", 1), timestamp: UInt64(Date().timeIntervalSince1970) + 1)
            try await eventually("what is published later is sent") { try rig.counts()["accepted"] == 3 }
            let sent = try rig.simulator.received().compactMap(\.token)
            #expect(!sent.contains { $0.hasPrefix("bb") })
        }

        /// Its messages say that they were published after the order that came after them.
        @Test func aProducerWhoseClockIsAheadIsStopped() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            let ahead = UInt64(Date().timeIntervalSince1970) + 600
            try rig.publish(body("parcels-7", "aa", 1), timestamp: ahead)
            try await eventually("it is sent; log: \(rig.log)") { try rig.counts() == ["accepted": 1] }
            dispatcher.signal(SIGTERM)
            #expect(dispatcher.wait().status == 0)
            for batch in ["parcels-7", "parcels-8"] { try rig.publish(body(batch, "bb", 1), timestamp: ahead) }
            // The log shows the clock of the one; of the other it has nothing.
            let told = try rig.waybill("cancel", "parcels-7")
            #expect(told.status == 0 && told.errors.contains("the clock of its producer is ahead"), "\(told.errors)")
            let covering = try rig.waybill("cancel", "parcels-7", "--ahead", "1h")
            #expect(covering.status == 0 && !covering.errors.contains("is ahead"), "\(covering.errors)")
            let blind = try rig.waybill("cancel", "parcels-8")
            #expect(blind.status == 66 && !blind.errors.contains("is ahead"), "\(blind.errors)")
            // Once more does not take back what was covered.
            #expect(try rig.waybill("cancel", "parcels-7").status == 0)
            try rig.startDispatcher()
            try await eventually("what is covered is not sent; log: \(rig.log)") {
                try rig.counts() == ["accepted": 2, "cancelled": 1]
            }
            #expect(try rig.records("--outcome", "cancelled").map(\.batchID) == ["parcels-7"])
            #expect(rig.log.contains("dispatch.publishedAfterCancellation"))
            let sent = try #require(try rig.records("--batch", "parcels-8").first)
            for subject in ["parcels-8", sent.id] {
                let story = try rig.waybill("explain", subject).output
                let words = story.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(words.contains("producer's clock is ahead: cancel the batch once more, and say"), "\(story)")
            }
        }

        /// Its producer allows a repeat, and another connection is at hand.
        @Test func whatHasNoAnswerOfACancelledBatchIsNotSentAgain() async throws {
            let rules = #"{"rules": [{"token_prefix": "fa", "delay_ms": 12000, "close": true, "times": 1}]}"#
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let earlier = UInt64(Date().timeIntervalSince1970) - 5
            try rig.publish(body("parcels-7", "fa", 1), timestamp: earlier)
            try await eventually("it is sent; log: \(rig.log)") { try rig.simulatorHasSeen(1) }
            #expect(try rig.waybill("cancel", "parcels-7").status == 66, "nothing is recorded yet")
            try await eventually("it may have arrived; log: \(rig.log)") { try rig.counts() == ["unknown": 1] }
            #expect(try rig.records("--outcome", "unknown").map(\.attempts) == [1])
            #expect(try rig.simulator.received().count == 1)
        }

        @Test func whatWaitsInADelayQueueEndsBeforeItsDelayIsOver() async throws {
            let rules = #"{"rules": [{"token_prefix": "5003", "status": 503, "reason": "ServiceUnavailable"}]}"#
            let rig = try await Rig(rules: rules, steps: ["1h"])
            defer { rig.tearDown() }
            for _ in 1...2 { try rig.startDispatcher() }
            let earlier = UInt64(Date().timeIntervalSince1970) - 5
            for part in 1...4 { try rig.publish(body("parcels-7.\(part)", "5003", 40), timestamp: earlier) }
            try rig.publish(body("parcels-8", "5003", 1), timestamp: earlier)
            try await eventually("all wait; log: \(rig.log)") { try rig.counts() == ["deferred": 161] }
            #expect(try rig.waybill("cancel", "parcels-7", "--note", "wrong text").status == 0)
            try await eventually("they end; log: \(rig.log)") {
                try rig.counts() == ["cancelled": 160, "deferred": 1]
            }
            for record in try rig.records("--outcome", "cancelled") {
                #expect(record.reason?.hasPrefix("by ") == true && record.attempts == 1)
            }
        }

        @Test func anOrderThatIsNotUnderstoodStopsNothingAndIsTold() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let date = Int64(Date().timeIntervalSince1970 * 1000)
            try rig.pool.withClient { (client) throws(MongoError) in
                let order = BSONWriter()
                order.append("_id", string: "cancel/4/acme/parcels-7")
                order.append("kind", string: "cancel")
                order.append("batch_id", string: "parcels-7")
                order.append("cleint", string: "acme")
                order.append("by", string: "anna@push-1")
                order.append("at", date: date)
                order.append("expires_at", date: date + 86_400_000)
                let bulk = client.collection(database: rig.database, name: "orders").bulk()
                try bulk.insert(order)
                try bulk.execute().requireDurable("insert")
            }
            try rig.startDispatcher()
            try rig.publish(body("parcels-7", "aa", 2), timestamp: UInt64(date / 1000) - 5)
            try await eventually("it is sent; log: \(rig.log)") { try rig.counts() == ["accepted": 2] }
            #expect(rig.log.contains("dispatch.orderIgnored"))
            try await eventually("it is told") {
                try rig.waybill("status").output.contains("an order is not followed")
            }
        }

        @Test func whatWaitsIsSentWhenACancellationIsLifted() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let earlier = UInt64(Date().timeIntervalSince1970) - 5
            #expect(try rig.waybill("cancel", "parcels-7").status == 66, "nothing is recorded yet")
            // Who starts later knows the order before it takes a message.
            try rig.startDispatcher()
            try rig.publish(body("parcels-7", "aa", 2), timestamp: earlier)
            try await eventually("it is not sent; log: \(rig.log)") { try rig.counts() == ["cancelled": 2] }
            #expect(try rig.waybill("cancel", "--lift", "parcels-7", "--client", "acme").status == 66)
            let lifted = try rig.waybill("cancel", "--lift", "parcels-7", "--note", "the text was right")
            #expect(lifted.status == 0)
            #expect(lifted.errors.contains("what has ended as cancelled stays so"), "\(lifted.errors)")
            try await eventually("it follows; log: \(rig.log)") { "\(rig.log)".contains("dispatch.cancellationLifted") }
            try rig.publish(body("parcels-7", "bb", 2), timestamp: earlier)
            try await eventually("what comes is sent; log: \(rig.log)") {
                try rig.counts() == ["cancelled": 2, "accepted": 2]
            }
            let listed = try rig.waybill("cancel", "--list", "--json").output
            #expect(listed.contains(#""cancellations":[]"#) && listed.contains("the text was right"), "\(listed)")
            #expect(try rig.waybill("cancel", "--lift", "parcels-7").status == 66)
        }

        @Test func aBatchIsCancelledWhileItsLaneIsPaused() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            #expect(try rig.waybill("lanes", "pause", "parcels").status == 0)
            try rig.startDispatcher()
            try rig.publish(body("parcels-7", "aa", 2), timestamp: UInt64(Date().timeIntervalSince1970) - 5)
            try await eventually("it waits") { try rig.depth(of: rig.queues.dispatch) == 0 }
            #expect(try rig.waybill("cancel", "parcels-7", "--client", "somebody-else").status == 66)
            let misspelled = try rig.waybill("cancel", "parcel-7")
            #expect(misspelled.status == 66)
            #expect(misspelled.errors.contains("no record of it yet"), "\(misspelled.errors)")
            #expect(misspelled.errors.contains("waybill cancel --lift parcel-7"), "\(misspelled.errors)")
            // Whether it is recorded by now is the dispatcher's pace.
            #expect([0, 66].contains(try rig.waybill("cancel", "parcels-7").status))
            let listed = try rig.waybill("cancel", "--list", "--json")
            #expect(listed.status == 0 && listed.output.contains(#""batch_id":"parcel-7""#), "\(listed.output)")
            try await eventually("it ends; log: \(rig.log)") { try rig.counts() == ["cancelled": 2] }
            #expect(try rig.simulator.received().isEmpty)
        }
    }
}
