import Foundation
import Testing
import WaybillMessages

extension FlowTests {
    /// What is published to the bulk queue goes out, and lets everything else go first.
    @Suite struct Bulk {
        private static let batches = 20
        private static let ofBatch = 500

        private static func bulk(_ number: Int) -> String {
            let tokens = (0..<ofBatch).map { "\"bb" + String(format: "%06d", number * ofBatch + $0) + "\"" }
            return #"{"batch_id":"bulk.\#(number)","message":"x","device_tokens":[\#(tokens.joined(separator: ","))]}"#
        }

        private static func single(_ number: Int) -> String {
            let token = "aa" + String(format: "%06d", number)
            return #"{"batch_id":"single.\#(number)","notifications":[{"device_token":"\#(token)","message":"now"}]}"#
        }

        /// The bulk waits before the others come, so that in order of arrival it would be first by far.
        @Test func othersPassAndBulkIsNotStarved() async throws {
            let rules = #"{"rules":[{"token_prefix":"","delay_ms":20}]}"#
            let rig = try await Rig(rules: rules, simulatorArguments: ["--streams", "20"])
            defer { rig.tearDown() }
            let now = UInt64(Date().timeIntervalSince1970)
            for number in 0..<Self.batches {
                try rig.publish(Self.bulk(number), timestamp: now, to: rig.queues.bulk)
            }
            try rig.startDispatcher()
            try await eventually("bulk flows\n\(rig.log)", within: 60) { try rig.simulatorHasSeen(1000) }
            for number in 0..<200 { try rig.publish(Self.single(number), timestamp: now) }
            let expected = Self.batches * Self.ofBatch + 200
            try await eventually("all are sent\n\(rig.log)", within: 120) {
                try rig.simulatorHasSeen(expected)
            }
            let order = try rig.simulator.received().map { $0.token?.hasPrefix("aa") == true }
            let first = try #require(order.firstIndex(of: true))
            let last = try #require(order.lastIndex(of: true))
            let between = order[first...last].count { !$0 }
            #expect(last < expected * 3 / 4, "the last single notification was number \(last) of \(expected)")
            #expect(between >= 5, "bulk stood still for the others: \(between) of it between \(first) and \(last)")
            #expect(order.count == expected, "nothing twice")
        }
    }
}
