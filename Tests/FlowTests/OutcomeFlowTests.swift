import Foundation
import Testing
import WaybillAMQP
import WaybillMessages

extension FlowTests {
    /// What becomes of notifications, through the real broker, store and programs.
    struct OutcomeFlowTests {
        @Test func allThreeFormsArriveByteForByteWithTheirDerivedIDs() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let payload = #"{ "aps":{"alert":{"title":"Ä","body":"\u00e9"}},  "order" : 7.50 }"#
            try rig.publish(#"[{"device_token":"\#(Sample.token("AA", 1))","message":"one"}]"#, messageID: "array-form")
            try rig.publish(
                #"{"batch_id":"object-form","client":"keeper","service_id":"s-1","notifications":[{"device_token":"\#(Sample.token("bb", 1))","#
                    + #""payload":\#(payload),"collapse_id":"order-7","expiration":null,"priority":5}]}"#
            )
            try rig.publish(
                #"{"batch_id":"tokens-form","payload":\#(payload),"device_tokens":["\#(Sample.token("cc", 1))","\#(Sample.token("cc", 2))"]}"#
            )
            let array = try #require(await rig.finalRecords(batch: "array-form", count: 1).first)
            let object = try #require(await rig.finalRecords(batch: "object-form", count: 1).first)
            let tokens = try await rig.finalRecords(batch: "tokens-form", count: 2)
            rig.simulator.stop()
            let received = Dictionary(
                uniqueKeysWithValues: try rig.simulator.received().map { ($0.apnsID ?? "", $0) }
            )
            #expect(received.count == 4)

            let first = try #require(received[array.id])
            #expect(first.token == Sample.token("aa", 1))
            #expect(first.payload == #"{"aps":{"alert":"one"}}"#)
            #expect(first.headers["apns-topic"] == "com.example.parcels")
            #expect(first.headers["apns-push-type"] == "alert")
            #expect(first.headers["apns-priority"] == "10")
            // The message has no time of its own.
            let day = 86_400 + Int(Date().timeIntervalSince1970)
            #expect((day - 600...day).contains(try #require(first.headers["apns-expiration"].flatMap(Int.init))))
            #expect(array.expiration.map(String.init) == first.headers["apns-expiration"])
            #expect(array.expirationFrom == "default" && array.pushTypeFrom == nil)
            #expect(first.headers["apns-collapse-id"]?.count == 64)
            #expect(array.message == "one")
            #expect(array.expiresAt != nil)

            let second = try #require(received[object.id])
            #expect(second.payload == payload)
            #expect(second.headers["apns-collapse-id"] == "order-7")
            #expect(second.headers["apns-expiration"] == nil)
            #expect(second.headers["apns-priority"] == "5")
            #expect(object.message == payload)
            #expect(object.expiresAt == nil)
            #expect(object.serviceID == "s-1")
            #expect(object.expirationFrom == "message")
            #expect(array.serviceID == nil)
            #expect(try rig.records("--service", "s-1").map(\.id) == [object.id])

            #expect(Set(tokens.map(\.deviceToken)) == [Sample.token("cc", 1), Sample.token("cc", 2)])
            for record in tokens { #expect(received[record.id]?.payload == payload) }
            for record in [array, object] + tokens {
                #expect(record.outcome == "accepted")
                #expect(record.statusCode == 200)
                #expect(record.reason == nil)
                #expect(record.attempts == 1)
                #expect(record.isRepeat == nil)
                #expect(record.history == nil)
            }
            try await eventually("every message is acknowledged") { try rig.depth(of: rig.queues.dispatch) == 0 }
        }

        @Test func everyOutcomeIsRecordedAndDeadTokensAreReported() async throws {
            let rules = """
                {"rules": [
                  {"token_prefix": "dead", "status": 410, "reason": "Unregistered", "timestamp": 1700000000123},
                  {"token_prefix": "bad0", "status": 400, "reason": "BadDeviceToken"},
                  {"token_prefix": "ca11", "status": 400, "reason": "BadCollapseId"},
                  {"token_prefix": "5003", "status": 503, "reason": "ServiceUnavailable", "times": 1},
                  {"token_prefix": "4029", "status": 429, "reason": "TooManyRequests", "times": 2}
                ]}
                """
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let prefixes = ["00aa", "dead", "bad0", "ca11", "5003", "4029"]
            var items = prefixes.map { #"{"device_token":"\#(Sample.token($0, 1))","message":"hello"}"# }
            items.append(#"{"device_token":"not hexadecimal","message":"hello"}"#)
            items.append(#"{"device_token":"\#(Sample.token("00ab", 1))","message":"late","expiration":1000000000}"#)
            items.append(#"{"device_token":"\#(Sample.token("00ac", 1))","message":"code","max_age":60,"priority":5}"#)
            items.append(#"{"device_token":"\#(Sample.token("00ad", 1))","payload":{"aps":{"content-available":1}}}"#)
            let published = Int(Date().timeIntervalSince1970) - 120
            try rig.publish(
                #"{"batch_id":"outcomes","client":"acme","notifications":[\#(items.joined(separator: ","))]}"#,
                timestamp: UInt64(published)
            )
            let records = try await rig.finalRecords(batch: "outcomes", count: 10)
            #expect(records.count == 10)
            func record(_ prefix: String) throws -> LoggedRecord {
                try #require(records.first { $0.deviceToken?.hasPrefix(prefix) == true })
            }
            #expect(try record("00aa").outcome == "accepted")
            let dead = try record("dead")
            #expect(dead.outcome == "token_invalid")
            #expect(dead.statusCode == 410)
            #expect(dead.reason == "Unregistered")
            #expect(dead.invalidSince == "2023-11-14T22:13:20.123Z")
            #expect(try record("bad0").outcome == "token_invalid")
            #expect(try record("bad0").reason == "BadDeviceToken")
            #expect(try record("ca11").outcome == "rejected")
            let retried = try record("5003")
            #expect(retried.outcome == "accepted")
            #expect(retried.attempts == 2)
            #expect(retried.history?.map(\.status) == [503, 200])
            let throttled = try record("4029")
            #expect(throttled.outcome == "accepted")
            #expect(throttled.history?.map(\.reason) == ["TooManyRequests", "TooManyRequests", nil])
            #expect(try record("00ab").outcome == "expired")
            #expect(try record("00ab").reason == "expiration")
            #expect(try record("00ab").expiration == 1_000_000_000)
            let code = try record("00ac")
            #expect(code.outcome == "expired")
            #expect(code.reason == "max_age")
            #expect(code.attempts == 0)
            #expect(code.maxAge == 60)
            #expect(code.priority == 5)
            #expect(code.expiration == published + 86_400)
            let silent = try record("00ad")
            #expect(silent.outcome == "accepted" && silent.pushType == "background" && silent.pushTypeFrom == "payload")
            #expect(silent.priority == 5 && silent.collapseID == nil && silent.expiration == 0)
            let invalid = try #require(records.first { $0.outcome == "invalid" })
            #expect(invalid.reason?.contains("device_token") == true)
            #expect(invalid.statusCode == nil)

            try await eventually("two token events") { try rig.depth(of: rig.queues.invalidTokens) == 2 }
            let events = try rig.takeAll(from: rig.queues.invalidTokens).map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
            }
            let deadEvent = try #require(events.first { $0["class"] as? String == "dead" })
            #expect(deadEvent["device_token"] as? String == Sample.token("dead", 1))
            #expect(deadEvent["invalid_since"] as? Int == 1_700_000_000_123)
            #expect(deadEvent["apns_id"] as? String == dead.id)
            #expect(deadEvent["environment"] as? String == "production")
            let suspect = try #require(events.first { $0["class"] as? String == "suspect" })
            #expect(suspect["device_token"] as? String == Sample.token("bad0", 1))
        }

        @Test func anUnreadableBodyGoesToTheRejectedQueueUntouchedAndTheFlowGoesOn() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let bad = [
                "not json", #"{"notifications":[]"#, #"{"lane":"nowhere","notifications":[]}"#, "[]]", "\u{FEFF}\u{0}",
            ]
            for body in bad { try rig.publish(body, messageID: "bad-\(body.count)") }
            try rig.publish(Sample.batch("after", tokens: [Sample.token("aa", 1)]))
            #expect(try await rig.finalRecords(batch: "after", count: 1).count == 1)
            try await eventually("all bad bodies are rejected") { try rig.depth(of: rig.queues.rejected) == bad.count }
            let rejected = try rig.takeAll(from: rig.queues.rejected)
            #expect(Set(rejected.map { String(decoding: $0.body, as: UTF8.self) }) == Set(bad))
            for delivery in rejected {
                guard case .string(let reason)? = delivery.properties[header: "x-waybill-reason"] else {
                    Issue.record("no reason header")
                    continue
                }
                #expect(!reason.isEmpty)
                #expect(delivery.properties.messageID?.hasPrefix("bad-") == true)
            }
        }

        @Test func aPushThatIsNeverAnsweredIsUnknownOrRepeatedAsTheProducerChose() async throws {
            let rules = #"{"rules": [{"token_prefix": "5111", "silence": true}]}"#
            let rig = try await Rig(rules: rules, settings: "dispatch: {request_timeout: 1s}")
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let first = #"{"device_token":"\#(Sample.token("5111", 1))","message":"a","on_unknown":"record"}"#
            let second =
                #"{"device_token":"\#(Sample.token("5111", 2))","message":"b","on_unknown":"resend","max_age":6}"#
            try rig.publish(#"{"batch_id":"silence","notifications":[\#(first),\#(second)]}"#)
            let records = try await rig.finalRecords(batch: "silence", count: 2)
            #expect(records.map(\.outcome) == ["unknown", "unknown"])
            #expect(records.first { $0.message == "a" }?.attempts == 1)
            // Again at once, again over the delay queues, and at last it is too late: it may have arrived all the same.
            let repeated = try #require(records.first { $0.message == "b" })
            #expect(repeated.attempts >= 3)
            #expect(repeated.history?.count == repeated.attempts)
            #expect(repeated.history?.allSatisfy { $0.status == nil && $0.reason == "timeout" } == true)
        }

        /// APNs takes two seconds: whatever is begun while a dispatcher stops still has its answer, and the rest is the
        /// broker's.
        ///
        /// Nothing here may be repeated, so that a push without an answer would be lost.
        @Test func aStoppingDispatcherBeginsNothingThatItCannotSeeAnswered() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "2s"], settings: "dispatch: {grace: 6s}")
            defer { rig.tearDown() }
            for batch in 0..<8 {
                let items = (0..<1000).map { Sample.token("aa", batch * 1000 + $0) }
                    .map { #"{"device_token":"\#($0)","payload":{},"push_type":"voip"}"# }
                try rig.publish(#"{"batch_id":"stop-\#(batch)","notifications":[\#(items.joined(separator: ","))]}"#)
            }
            let first = try rig.startDispatcher()
            try await eventually("pushes are under way: \(rig.log)") { try rig.simulatorHasSeen(1) }
            first.signal(SIGTERM)
            #expect(first.wait().status == 0)
            #expect(try rig.counts()["unknown"] == nil, "\(rig.log)")
            try rig.startDispatcher()
            try await eventually("all are accepted; log: \(rig.log)", within: 60) {
                try rig.counts() == ["accepted": 8000]
            }
        }

        /// The broker is well, and nobody else works: whoever looks is told both, and why what is published now waits.
        @Test func whoLooksIsToldThatTheOnlyDispatcherStops() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "100s"], settings: "dispatch: {grace: 100s}")
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            try rig.publish(Sample.batch("held", tokens: [Sample.token("aa", 1)]))
            try await eventually("a push is under way: \(rig.log)") { try rig.simulatorHasSeen(1) }
            dispatcher.signal(SIGTERM)
            try await eventually("it says so itself: \(rig.log)", within: 30) {
                try rig.waybill("status", "--json").output
                    .contains("stopping: takes no new messages, finishes 1 message in hand")
            }
            let status = try rig.waybill("status")
            let text = status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(status.status == 69)
            #expect(text.contains("it takes no new messages and finishes 1 that it has in hand"), "\(text)")
            #expect(text.contains("no other dispatcher runs") && !text.contains("Look at RabbitMQ"), "\(text)")
            // The consumer has ended, and its message is not acknowledged.
            #expect(text.contains("1 consumer (RabbitMQ's count; dispatchers have 0)"), "\(text)")
            try rig.publish(Sample.batch("late", tokens: [Sample.token("aa", 2)]))
            let told = try rig.waybill("explain", "late", "--json").output
            #expect(told.contains("No other dispatcher runs: what is published now waits in the broker"), "\(told)")
            #expect(try rig.depth(of: rig.queues.dispatch) == 1)
            dispatcher.signal(SIGKILL)
        }

        /// Until the broker misses its heartbeats, it hands out new messages to one that is stopped, whoever works besides.
        @Test func anIdleDispatcherThatWasStoppedAndReplacedIsTold() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            func words(_ arguments: String...) throws -> String {
                try rig.waybill(arguments).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            let stopped = try rig.startDispatcher()
            try await eventually("it works: \(rig.log)", within: 30) { try rig.waybill("status").status == 0 }
            stopped.signal(SIGSTOP)
            defer { stopped.signal(SIGKILL) }
            try rig.startDispatcher()
            let told = "the broker counts a consumer of it still"
            try await eventually("status tells of it: \(rig.log)", within: 20) {
                let status = try words("status")
                return status.contains(told) && status.hasPrefix("degraded")
            }
            let batches = (1...4).map { "held-\($0)" }
            for batch in batches { try rig.publish(Sample.batch(batch, tokens: [Sample.token("aa", 1)])) }
            // Each of the two gets its share of them.
            #expect(try batches.contains { try words("explain", $0).contains(told) })
            stopped.signal(SIGKILL)
            try await eventually("the broker has its messages back: \(rig.log)", within: 30) {
                try batches.allSatisfy { try words("explain", $0).contains("accepted") }
            }
            try await eventually("nothing is told of it any more", within: 20) {
                try rig.waybill("status").status == 0
            }
        }

        @Test func aRefusedLaneParksAloneAndItsMessagesWaitInTheBroker() async throws {
            var refusing: Simulator?
            let rules = #"{"rules": [{"token_prefix": "", "status": 403, "reason": "InvalidProviderToken"}]}"#
            let rig = try await Rig { folder in
                let simulator = try await Simulator(in: folder, name: "refusing", rules: rules)
                refusing = simulator
                return [.init(name: "refused", port: simulator.port)]
            }
            defer {
                rig.tearDown()
                refusing?.stop()
            }
            let dispatcher = try rig.startDispatcher()
            let refused = (1...5000).map { Sample.token("aa", $0) }
            try rig.publish(Sample.batch("parked", tokens: refused, extra: #","lane":"refused""#))
            try await eventually("the operator is told: \(rig.log)") {
                dispatcher.errorText.contains("dispatch.laneParked")
            }
            let tokens = (1...100).map { Sample.token("bb", $0) }
            try rig.publish(Sample.batch("flowing", tokens: tokens, extra: #","lane":"parcels""#))
            #expect(try await rig.finalRecords(batch: "flowing", count: 100).allSatisfy { $0.outcome == "accepted" })
            try await eventually("every item of the refused lane waits") {
                try rig.counts("--batch", "parked")["deferred"] == refused.count
            }
            let parked = try rig.records("--batch", "parked")
            #expect(parked.contains { $0.reason == "InvalidProviderToken" && $0.statusCode == 403 })
            for record in parked where record.attempts == 0 {
                #expect(record.waited?.last?.reason == "refused" && record.waited?.last?.until == nil)
            }
            // Once the lane was refused, what had not been sent was taken back.
            #expect(try #require(refusing).received().count < refused.count)
            #expect(try rig.depth(of: rig.queues.rejected) == 0)
        }

        @Test func anEndpointWithACertificateOfAnotherAuthorityIsRefused() async throws {
            let rig = try await Rig(settings: "dispatch: {grace: 1s}", trustFile: "other/ca.pem") { folder in
                try Simulator.makeCredentials(in: folder.appendingPathComponent("other"))
                return []
            }
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            try rig.publish(Sample.batch("untrusted", tokens: [Sample.token("aa", 1)]))
            try await eventually("the refusal is logged") { dispatcher.errorText.contains("dispatch.apnsFailed") }
            dispatcher.signal(SIGTERM)
            #expect(dispatcher.wait().status == 0)
            rig.simulator.stop()
            #expect(try rig.simulator.received().isEmpty)
            #expect(try rig.records("--batch", "untrusted").allSatisfy { $0.outcome != "accepted" })
            try await eventually("the message is still with the broker") { try rig.depth(of: rig.queues.dispatch) == 1 }
        }
    }
}
