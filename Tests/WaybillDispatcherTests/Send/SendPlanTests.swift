import Testing
import WaybillAMQP
import WaybillAPNS
import WaybillCore
import WaybillDeliveryLog

@testable import WaybillDispatcher
@testable import WaybillProviders

struct SendPlanTests {
    private let now: Int64 = 2_000_000

    @Test func goodItemsAreSentAndTheOthersGoStraightToTheLog() throws {
        let message = try #require(Samples.message(Samples.mixed))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now)
        #expect(plan.requests.apns.map(\.index) == [0, 3])
        #expect(plan.requests.apns[1].collapseID == .none)
        #expect(plan.requests.apns[0].resendsUnknown)
        #expect(!plan.requests.apns[1].resendsUnknown)
        #expect(plan.outcomes.map(\.position) == [1, 2])
        #expect(plan.outcomes.map(\.outcome) == [.invalid, .expired])
        #expect(plan.alreadyRecorded == 0)
    }

    /// What asks for a receipt is sent with a capability, and kept without; the others are as they were.
    @Test func aCapabilityIsInWhatIsSentAlone() throws {
        let body =
            "[{\"device_token\":\"0f\",\"message\":\"x\"},{\"device_token\":\"0f\",\"message\":\"y\",\"receipt\":true},"
            + "{\"device_token\":\"0f\",\"payload\":{\"aps\":{}},\"receipt\":true}]"
        let message = try #require(Samples.message(body))
        let key = try #require(ReceiptKey(id: "k1", secret: Array(repeating: 7, count: 32)))
        let signer = ReceiptSigner(key: key, lifetime: .seconds(60))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now, receipts: signer)
        let sent = plan.requests.apns.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(sent.count == 3 && sent[0] == #"{"aps":{"alert":"x"}}"#)
        #expect(sent[1].hasPrefix(#"{"aps":{"alert":"y","mutable-content":1},"wb_id":"#))
        #expect(sent[2].hasPrefix(#"{"aps":{},"wb_id":"#) && sent[2].contains(#""wb_rcpt":"v1.k1.2060."#))
        let item = ItemOutcome(message: message, position: 2, outcome: .accepted, date: now)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.message.map { String(decoding: $0, as: UTF8.self) } == #"{"aps":{}}"#)
    }

    /// The message is from second 1,000; the pass, the limits, what was sent before, and the end.
    @Test(
        arguments: [
            (1, "", 1_000_000, nil, nil), (1, #","max_age":60"#, 1_059, nil, nil),
            (1, #","max_age":60"#, 1_060, nil, .init(.expired, reason: "max_age")),
            (1, #","max_age":60,"expiration":1030"#, 1_030, nil, .init(.expired, reason: "expiration")),
            (2, #","max_age":60"#, 1_060, [503], .init(.expired, reason: "max_age")),
            (2, #","max_age":60"#, 1_060, [503, nil], .init(.unknown, reason: "timeout")),
            // The last resort is for what was sent in vain.
            (1, "", 90_000, [403], nil), (2, "", 87_399, [503], nil),
            (2, "", 87_400, [503], .init(.expired, reason: "max_age")),
        ] as [(Int, String, Int64, [Int?]?, Expected?)]
    )
    func whatIsTooLateIsNotSent(
        pass: Int,
        members: String,
        seconds: Int64,
        earlier: [Int?]?,
        expected: Expected?
    ) throws {
        var properties = AMQPProperties()
        properties.timestamp = 1_000
        if pass > 1 || earlier != nil {
            properties.headers = [
                ("x-waybill-attempt", .int64(Int64(pass))), ("x-waybill-items", "0"),
                ("x-waybill-first-seen", .int64(1_000_500)), ("x-waybill-time", .int64(1_000_000)),
                ("x-waybill-digest", .string(String(repeating: "0", count: 32))),
            ]
        }
        var message = try #require(
            Samples.message(
                #"[{"device_token":"aa01","message":"one"\#(members)}]"#,
                properties: properties,
                from: properties.headers.isEmpty ? Samples.dispatch : Samples.retry
            )
        )
        if let earlier {
            let history = earlier.map { AttemptRecord(date: 1, status: $0, reason: $0 == nil ? "timeout" : "Reason") }
            message = message.recalled(
                RecallFindings(own: [
                    0: RecordedDelivery(outcome: .deferred, attempts: history.count, date: 1, history: history)
                ])
            )
        }
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: seconds * 1000)
        #expect(plan.requests.isEmpty == (expected != nil))
        #expect(plan.outcomes.first?.outcome == expected?.outcome)
        #expect(plan.outcomes.first?.reason == expected?.reason)
        if let outcome = plan.outcomes.first {
            let record = RecordBuilder.makeEntry(for: outcome, lanes: Samples.lanes).record
            #expect(record.attempts == earlier?.count ?? 0)
            #expect(record.history.map(\.status) == earlier ?? [])
            #expect(record.statusCode == nil)
        }
    }

    struct Expected: Sendable {
        let outcome: Outcome
        let reason: String

        init(_ outcome: Outcome, reason: String) {
            self.outcome = outcome
            self.reason = reason
        }
    }

    @Test func aRedeliveredItemWithAFinalRecordIsSkippedAndItsEventIsPublishedAgain() throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        message = message.recalled(
            RecallFindings(own: [
                0: RecordedDelivery(
                    outcome: .tokenInvalid,
                    attempts: 1,
                    statusCode: 410,
                    reason: "Unregistered",
                    date: 5,
                    invalidSince: 4
                ),
                1: RecordedDelivery(outcome: .invalid, attempts: 0, date: 5),
                3: RecordedDelivery(outcome: .deferred, attempts: 1, statusCode: 503, reason: "Shutdown", date: 5),
            ])
        )
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now)
        #expect(plan.requests.apns.map(\.index) == [3])
        #expect(plan.outcomes.map(\.position) == [2])
        #expect(plan.alreadyRecorded == 2)
        let event = try #require(plan.tokenEvents.first)
        #expect(plan.tokenEvents.count == 1)
        #expect(event.deviceToken == "aa01")
        #expect(event.verdict == .dead)
        #expect(event.invalidSince == 4)
        #expect(event.observedAt == 5)
        #expect(event.environment == .production)
    }

    @Test func recordsTellTheWholeStory() throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        message = message.recalled(
            RecallFindings(own: [
                3: RecordedDelivery(outcome: .deferred, attempts: 1, statusCode: 503, reason: "Shutdown", date: 5)
            ])
        )
        var first = ItemOutcome(message: message, position: 0, outcome: .accepted, statusCode: 200, date: 9)
        first.attempts = 1
        first.tellsOfLastAttempt = true
        first.latency = 1_234_567
        let plain = RecordBuilder.makeEntry(for: first, lanes: Samples.lanes)
        #expect(plain.predecessor == nil)
        #expect(!plain.mayBeWritten)
        #expect(plain.record.isRepeat)
        #expect(plain.record.history.isEmpty)
        #expect(plain.record.latencyMilliseconds == 1.234)
        #expect(plain.record.message.map { String(decoding: $0, as: UTF8.self) } == "one")
        #expect(plain.record.topic == "com.example.parcels")
        #expect(plain.record.client == "acme")
        var second = ItemOutcome(message: message, position: 3, outcome: .accepted, statusCode: 200, date: 9)
        second.attempts = 2
        second.tellsOfLastAttempt = true
        second.history = [AttemptRecord(date: 7, status: nil, reason: "timeout")]
        let again = RecordBuilder.makeEntry(for: second, lanes: Samples.lanes, isFirstTry: false)
        #expect(again.predecessor == LogEntry.Predecessor(attempts: 1, isRepeat: false))
        #expect(again.mayBeWritten)
        let retried = again.record
        #expect(retried.attempts == 3)
        #expect(retried.history.map(\.status) == [503, nil, 200])
        #expect(retried.message.map { String(decoding: $0, as: UTF8.self) } == #"{"aps":{"alert":"four"}}"#)
        let invalid = RecordBuilder.makeEntry(
            for: ItemOutcome(message: message, position: 1, outcome: .invalid, reason: "why", date: 9),
            lanes: Samples.lanes
        )
        // What it gave in the token's place, and where in the message.
        #expect(invalid.record.deviceToken.map { String(decoding: $0, as: UTF8.self) } == "zz")
        #expect(invalid.record.position == 1)
        #expect(!invalid.record.isRepeat)
    }

    @Test func nothingOfACancelledBatchIsSent() throws {
        let message = try #require(Samples.message(Samples.mixed))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now, canceller: "anna@host")
        #expect(plan.requests.isEmpty)
        #expect(plan.outcomes.map(\.outcome) == [.cancelled, .invalid, .cancelled, .cancelled])
        #expect(plan.outcomes[0].reason == "by anna@host")
    }

    /// A retry that comes again, and was cancelled in the log while somebody had it: he may have pushed it.
    @Test(arguments: [(true, false, 0), (false, false, 1), (true, true, 1)])
    func aCancelledRecordIsToldThatItMayHaveBeenPushed(isRedelivered: Bool, isMarked: Bool, recorded: Int) throws {
        var properties = AMQPProperties()
        properties.headers = Samples.retryHeaders("0,1,2,3")
        var message = try #require(
            Samples.message(
                Samples.mixed,
                isRedelivered: isRedelivered,
                properties: properties,
                from: Samples.retry
            )
        )
        let found = RecordedDelivery(outcome: .cancelled, attempts: 0, date: 5, isRepeat: isMarked)
        message = message.recalled(RecallFindings(own: [0: found, 1: found, 3: found]))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now)
        #expect(plan.requests.isEmpty)
        #expect(plan.alreadyRecorded == 1 + recorded * 2, "of an invalid one nothing was pushed")
        let outcomes = plan.outcomes.filter { $0.outcome == .cancelled }
        #expect(outcomes.count == 2 - recorded * 2)
        for outcome in outcomes {
            #expect(RecordBuilder.makeEntry(for: outcome, lanes: Samples.lanes).record.isRepeat)
        }
    }
}
