import Foundation
import Testing
import WaybillAMQP
import WaybillCompression
import WaybillMessages

extension FlowTests {
    /// Every documented answer of APNs, given to real requests.
    struct ReasonFlowTests {
        private struct Case {
            let status: Int
            let reason: String
            let outcome: String
            /// The answer is given once; then the request is accepted.
            var isPassing = false
        }

        private static let cases: [Case] =
            [
                (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
                (400, "DuplicateHeaders"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "PayloadEmpty"),
                (400, "AReasonOfNextYear"), (404, "BadPath"), (405, "MethodNotAllowed"), (413, "PayloadTooLarge"),
            ].map { Case(status: $0.0, reason: $0.1, outcome: "rejected") }
            + [(400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, "ExpiredToken"), (410, "Unregistered")]
            .map { Case(status: $0.0, reason: $0.1, outcome: "token_invalid") }
            + [
                (400, "IdleTimeout"), (429, "TooManyRequests"), (500, "InternalServerError"),
                (503, "ServiceUnavailable"), (503, "Shutdown"),
            ].map { Case(status: $0.0, reason: $0.1, outcome: "accepted", isPassing: true) }

        @Test func everyDocumentedReasonLeadsToItsOutcome() async throws {
            let rules = Self.cases.enumerated().map { number, each in
                let times = each.isPassing ? #","times":1"# : ""
                return
                    #"{"token_prefix":"\#(Self.prefix(number))","status":\#(each.status),"reason":"\#(each.reason)"\#(times)}"#
            }
            let rig = try await Rig(rules: #"{"rules":[\#(rules.joined(separator: ","))]}"#)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let tokens = Self.cases.indices.map { Sample.token(Self.prefix($0), 1) }
            try rig.publish(Sample.batch("reasons", tokens: tokens))
            let records = try await rig.finalRecords(batch: "reasons", count: tokens.count)
            for (number, each) in Self.cases.enumerated() {
                let record = try #require(records.first { $0.deviceToken == tokens[number] })
                #expect(record.outcome == each.outcome, "\(each.reason)")
                if each.isPassing {
                    #expect(record.attempts == 2, "\(each.reason)")
                    #expect(record.history?.map(\.status) == [each.status, 200], "\(each.reason)")
                    #expect(record.history?.first?.reason == each.reason)
                } else {
                    #expect(record.statusCode == each.status)
                    #expect(record.reason == each.reason)
                    #expect(record.history == nil)
                }
            }
            let invalid = Self.cases.count { $0.outcome == "token_invalid" }
            try await eventually("\(invalid) events") { try rig.depth(of: rig.queues.invalidTokens) == invalid }
        }

        @Test func aForeignTopicIsItsNotificationsFaultAndParksNobody() async throws {
            let rules = """
                {"rules":[{"token_prefix":"ca5e","status":400,"reason":"TopicDisallowed"},
                          {"token_prefix":"f0bd","status":403,"reason":"Forbidden"},
                          {"token_prefix":"fe1d","status":403,"reason":"InvalidProviderToken"},
                          {"token_prefix":"fe2d","status":403,"reason":"ExpiredProviderToken"},
                          {"token_prefix":"fe3d","status":429,"reason":"TooManyProviderTokenUpdates"}]}
                """
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            let foreign =
                #"{"device_token":"\#(Sample.token("ca5e", 1))","message":"a","topic":"com.example.elsewhere"}"#
            let others = ["f0bd", "fe1d", "fe2d", "fe3d"].map {
                #"{"device_token":"\#(Sample.token($0, 1))","message":"a","topic":"com.example.elsewhere"}"#
            }
            try rig.publish(
                #"{"batch_id":"foreign","notifications":[\#(([foreign] + others).joined(separator: ","))]}"#
            )
            let records = try await rig.finalRecords(batch: "foreign", count: 2).filter { $0.outcome != "deferred" }
            #expect(records.map(\.outcome) == ["rejected", "rejected"])
            #expect(Set(records.map(\.reason)) == ["TopicDisallowed", "Forbidden"])
            // What is said of the credentials for such a topic is no end of the notification, and none of the lane.
            try await eventually("the rest waits") { try rig.counts("--batch", "foreign")["deferred"] == 3 }
            try rig.publish(Sample.batch("own", tokens: [Sample.token("aa", 1)]))
            #expect(try await rig.finalRecords(batch: "own", count: 1).first?.outcome == "accepted")
            #expect(dispatcher.errorText.contains("dispatch.laneParked") == false)
        }

        /// Nobody else is at fault for a topic that the lane has derived, and no other topic could tell of a refused key.
        @Test func aRefusalThatNobodyKnowsParksALaneOfDerivedTopicsAndLosesNothing() async throws {
            let rig = try await Rig(rules: #"{"rules":[{"token_prefix":"","status":403,"reason":"SomethingNew"}]}"#)
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            for number in 1...3 {
                let token = Sample.token("aa", number)
                let item = #"{"device_token":"\#(token)","payload":{"aps":{}},"push_type":"voip"}"#
                try rig.publish(#"{"batch_id":"calls","notifications":[\#(item)]}"#)
                try await eventually("call \(number) waits: \(rig.log)") {
                    try rig.counts("--batch", "calls")["deferred"] == number
                }
            }
            try await eventually("the lane is parked: \(rig.log)") {
                dispatcher.errorText.contains("dispatch.laneParked")
            }
            let records = try rig.records("--batch", "calls")
            #expect(records.allSatisfy { $0.reason == "SomethingNew" && $0.statusCode == 403 })
            #expect(try rig.depth(of: rig.queues.rejected) == 0)
        }

        @Test func aCompressedBodyIsInflatedAndABombIsRejected() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            try rig.startDispatcher()
            var properties = AMQPProperties()
            properties.contentEncoding = "gzip"
            let body = Sample.batch("packed", tokens: (0..<50).map { Sample.token("aa", $0) })
            try rig.publish(Gzip.deflate([UInt8](repeating: 32, count: 8 << 20)), properties)
            try rig.publish(Gzip.deflate(Array(body.utf8)), properties)
            let records = try await rig.finalRecords(batch: "packed", count: 50)
            #expect(records.allSatisfy { $0.outcome == "accepted" })
            try await eventually("the bomb is rejected") { try rig.depth(of: rig.queues.rejected) == 1 }
            let rejected = try #require(rig.takeAll(from: rig.queues.rejected).first)
            #expect(rejected.properties[header: "x-waybill-reason"] == .string("too_large"))
            #expect(rejected.properties.contentEncoding == "gzip")
        }

        /// The steps are 1, 2 and 4 s: a device that asks for three seconds gets the last of them, in either form of the
        /// field, and nobody else waits.
        @Test func whatADeviceAsksToWaitIsWaited() async throws {
            let date = DateFormatter()
            date.locale = Locale(identifier: "en_US_POSIX")
            date.timeZone = TimeZone(identifier: "GMT")
            date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let rules = """
                {"rules":[{"token_prefix":"5ec0","status":429,"reason":"TooManyRequests","retry_after":3,"times":1},
                          {"token_prefix":"da7e","status":429,"reason":"TooManyRequests","times":1,
                           "retry_after":"\(date.string(from: Date(timeIntervalSinceNow: 86_400)))"}]}
                """
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            try rig.startDispatcher()
            let tokens = ["5ec0", "da7e", "aa00"].map { Sample.token($0, 1) }
            try rig.publish(Sample.batch("waiting", tokens: tokens))
            let records = try await rig.finalRecords(batch: "waiting", count: 3)
            #expect(
                records.allSatisfy { $0.outcome == "accepted" },
                "\(records.map { "\($0.outcome) \($0.reason ?? "")" })"
            )
            let times = ISO8601DateFormatter()
            times.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            for record in records {
                let pushes = try (record.history ?? []).map { try #require(times.date(from: $0.date)) }
                guard record.deviceToken != tokens[2] else {
                    #expect(record.attempts == 1)
                    continue
                }
                #expect(record.attempts == 2)
                let (first, second) = (try #require(pushes.first), try #require(pushes.last))
                #expect(
                    second.timeIntervalSince(first) >= 3,
                    "\(record.deviceToken ?? "") waited less than it was asked to"
                )
            }
        }

        private static func prefix(_ number: Int) -> String {
            "ca5e" + String(number + 16, radix: 16)
        }
    }
}
