import Foundation
import Testing
import WaybillAMQP
import WaybillMessages
import WaybillMongo

extension FlowTests {
    /// Whose record is whose: no notification is settled by another one's, and every push has a record.
    struct IdentityFlowTests {
        private static let given = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"

        private static func item(_ number: Int, _ message: String, id: String? = nil) -> String {
            let given = id.map { #","apns_id":"\#($0)""# } ?? ""
            return #"[{"device_token":"\#(Sample.token("aa", number))","message":"\#(message)"\#(given)}]"#
        }

        private func now() -> UInt64 { UInt64(Date().timeIntervalSince1970) }

        /// Everything that was published is settled, and so much was pushed and recorded.
        private func expectDone(_ rig: Rig, pushes: Int, records: Int) async throws {
            try await eventually("\(pushes) pushes, \(records) records, nothing waits; log: \(rig.log)") {
                let waiting = try rig.queues.consumed.reduce(0) { try $0 + rig.depth(of: $1) }
                let recorded = try rig.counts().values.reduce(0, +)
                return try waiting == 0 && recorded == records && rig.simulator.received().count == pushes
            }
        }

        /// As if everything in the log had happened so much earlier.
        private func setBack(_ rig: Rig, hours: Int64) throws {
            let date = Int64(Date().timeIntervalSince1970 * 1000) - hours * 3_600_000
            let change = BSONDocument { $0.append("$set") { $0.append("date", date: date) } }
            let client = try rig.pool.pop()
            defer { rig.pool.push(client) }
            _ = try client.command(
                database: rig.database,
                BSONDocument { command in
                    command.append("update", string: "deliveries")
                    command.append(
                        "updates",
                        array: { array in
                            array.append(document: { update in
                                update.append("q", document: .empty)
                                update.append("u", document: change)
                                update.append("multi", bool: true)
                            })
                        }
                    )
                }
            )
        }

        @Test func differentContentUnderOneNameIsTwoNotifications() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let time = now()
            for timestamp in [nil, time] {
                for message in ["one", "two"] {
                    let body =
                        #"{"batch_id":"twice","message":"\#(message)","device_tokens":["\#(Sample.token("aa", 1))"]}"#
                    try rig.publish(body, timestamp: timestamp)
                }
            }
            try await expectDone(rig, pushes: 4, records: 4)
            #expect(try rig.records("--batch", "twice").allSatisfy { $0.isRepeat == nil })
        }

        /// The first form of docs/producers.md, with a name and without one: today's notification is not yesterday's.
        @Test(arguments: [nil, "daily"] as [String?])
        func theSameBodyOnTwoDaysIsTwoNotifications(messageID: String?) async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            try rig.publish(Self.item(1, "good morning"), messageID: messageID)
            try await expectDone(rig, pushes: 1, records: 1)
            try setBack(rig, hours: 24)
            try rig.publish(Self.item(1, "good morning"), messageID: messageID)
            try await expectDone(rig, pushes: 2, records: 2)
            let records = try rig.records()
            #expect(Set(records.map(\.id)) == Set(try rig.simulator.received().compactMap(\.apnsID)))
            #expect(records.allSatisfy { $0.isRepeat == nil && $0.outcome == "accepted" })
            #expect(Set(records.map(\.batchID)).count == 1)
        }

        /// Without a time: a name makes the second one its producer's repeat, and without one nothing says so.
        @Test func theSameBodyTwiceAtOnce() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "200ms"])
            defer { rig.tearDown() }
            try rig.startDispatcher()
            for _ in 1...2 { try rig.publish(Self.item(1, "ding")) }
            for _ in 1...2 { try rig.publish(Self.item(2, "dong"), messageID: "named") }
            try await expectDone(rig, pushes: 3, records: 3)
            #expect(try rig.records("--batch", "named").count == 1)
            #expect(try rig.records().allSatisfy { $0.isRepeat == nil })
            try await eventually("the operator is told: \(rig.log)") { rig.log.contains("dispatch.repeatedByProducer") }
        }

        /// Another notification's record settles nothing, also where the broker hands the second message out again.
        @Test func aNamelessMessageThatIsHandedOutAgainIsStillASecondNotification() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let first = try rig.startDispatcher()
            try rig.publish(Self.item(1, "ding"))
            try await expectDone(rig, pushes: 1, records: 1)
            first.signal(SIGTERM)
            _ = first.wait()
            try rig.publish(Self.item(1, "ding"))
            try await eventually("the second one waits") { try rig.depth(of: rig.queues.dispatch) == 1 }
            let taken = try #require(try rig.broker().get(queue: rig.queues.dispatch))
            #expect(!taken.isRedelivered)
            rig.forgetBroker()
            try rig.startDispatcher()
            try await expectDone(rig, pushes: 2, records: 2)
            #expect(try rig.records().allSatisfy { $0.outcome == "accepted" })
        }

        /// With a time of its own the same message is the same, however late it comes again.
        @Test func aMessagePublishedTwiceIsItsProducersRepeat() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let time = now()
            try rig.publish(Sample.batch("twice", tokens: [Sample.token("aa", 1)]), timestamp: time)
            try await expectDone(rig, pushes: 1, records: 1)
            try setBack(rig, hours: 24)
            try rig.publish(Sample.batch("twice", tokens: [Sample.token("aa", 1)]), timestamp: time)
            try await eventually("the operator is told: \(rig.log)") { rig.log.contains("dispatch.repeatedByProducer") }
            try await expectDone(rig, pushes: 1, records: 1)
        }

        @Test func aGivenIDIsForOneNotification() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            try rig.publish(Self.item(1, "one", id: Self.given))
            try await expectDone(rig, pushes: 1, records: 1)
            // The same again is a repeat, also in another message; anything else is refused.
            try rig.publish(Self.item(1, "one", id: Self.given), timestamp: now())
            try rig.publish(Self.item(1, "two", id: Self.given), timestamp: now())
            try rig.publish(Self.item(2, "one", id: Self.given), messageID: "other-token")
            // As another client's, it is neither pushed nor taken for the first one's.
            try rig.publish(#"{"client":"acme","notifications":\#(Self.item(1, "one", id: Self.given))}"#)
            try await expectDone(rig, pushes: 1, records: 4)
            let records = try rig.records("--apns-id", Self.given)
            #expect(records.count == 4)
            let first = try #require(records.first { $0.id == Self.given })
            #expect(first.outcome == "accepted" && first.deviceToken == Sample.token("aa", 1))
            for record in records where record.id != Self.given {
                #expect(record.outcome == "invalid")
                #expect(record.reason == "apns_id: is recorded already for another notification")
            }
            #expect(try rig.records("--batch", "other-token").first?.deviceToken == Sample.token("aa", 2))
        }

        /// Two messages with one given id at the same time: both are pushed before either is recorded.
        @Test func aGivenIDInUseAtTheSameTime() async throws {
            let rig = try await Rig(simulatorArguments: ["--latency", "500ms"])
            defer { rig.tearDown() }
            try rig.startDispatcher()
            for number in 1...2 { try rig.publish(Self.item(number, "x", id: Self.given), timestamp: now()) }
            try await expectDone(rig, pushes: 2, records: 2)
            let records = try rig.records("--apns-id", Self.given)
            #expect(records.map(\.outcome) == ["accepted", "accepted"])
            #expect(Set(records.compactMap(\.deviceToken)).count == 2)
            #expect(records.count { $0.id == Self.given } == 1)
        }

        /// A shovel from the rejected queue: the broker calls the message new, and what it wrote on it tells the truth.
        @Test func aMovedMessageIsRecognised() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let time = now()
            let body = Array(Sample.batch("moved", tokens: [Sample.token("aa", 1)]).utf8)
            try rig.publish(body, AMQPProperties(timestamp: time))
            try await expectDone(rig, pushes: 1, records: 1)
            let traces: [(name: String, value: AMQPValue)] = [
                ("x-delivery-count", 20), ("x-first-death-reason", "delivery_limit"),
            ]
            try rig.publish(body, AMQPProperties(timestamp: time, headers: traces))
            // Another one that a dispatcher had and left no record of.
            let lost = Array(Sample.batch("lost", tokens: [Sample.token("aa", 2)]).utf8)
            try rig.publish(lost, AMQPProperties(timestamp: time, headers: traces))
            try await expectDone(rig, pushes: 2, records: 2)
            #expect(try rig.records("--batch", "moved").first?.isRepeat == nil)
            #expect(try rig.records("--batch", "lost").first?.isRepeat == true)
        }
    }
}
