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
        #expect(plan.settled.isEmpty)
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
            (1, #","expiration":0"#, 1_000_000, nil, nil), (1, #","max_age":60"#, 1_059, nil, nil),
            // The default: 24 hours, or one for a critical one; it ends what waits here, too.
            (1, "", 87_399, nil, nil), (1, "", 87_400, nil, .init(.expired, reason: "expiration")),
            (2, "", 87_400, [503], .init(.expired, reason: "expiration")),
            (1, #","delivery_type":"critical""#, 4_599, nil, nil),
            (1, #","delivery_type":"critical""#, 4_600, nil, .init(.expired, reason: "expiration")),
            (1, #","max_age":60"#, 1_060, nil, .init(.expired, reason: "max_age")),
            (1, #","max_age":60,"expiration":1030"#, 1_030, nil, .init(.expired, reason: "expiration")),
            (2, #","max_age":60"#, 1_060, [503], .init(.expired, reason: "max_age")),
            (2, #","max_age":60"#, 1_060, [503, nil], .init(.unknown, reason: "timeout")),
            // The last resort is for what was sent in vain.
            (1, #","expiration":0"#, 90_000, [403], nil), (2, #","expiration":0"#, 87_399, [503], nil),
            (2, #","expiration":0"#, 87_400, [503], .init(.expired, reason: "max_age")),
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
        #expect(plan.settled == [1])
        let (position, event) = try #require(plan.tokenEvents.first)
        #expect(position == 0)
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
        #expect(plan.settled.count == 1 + recorded * 2, "of an invalid one nothing was pushed")
        let outcomes = plan.outcomes.filter { $0.outcome == .cancelled }
        #expect(outcomes.count == 2 - recorded * 2)
        for outcome in outcomes {
            #expect(RecordBuilder.makeEntry(for: outcome, lanes: Samples.lanes).record.isRepeat)
        }
    }

    enum Delivery {
        case original, redeliveredOriginal, retry, redeliveredRetry, copy
    }

    enum Step: Equatable {
        case push, settle
        case again(step: Int, pass: Int)
    }

    /// The record is `deferred` and waits for its third pass, due at second 2,000; steps of 5, 10 and 30 seconds.
    @Test(
        arguments: [
            (.original, 1, 1_980, .again(step: 2, pass: 3)), (.redeliveredOriginal, 1, 1_980, .again(step: 2, pass: 3)),
            (.redeliveredOriginal, 1, 1_992, .again(step: 1, pass: 3)),
            (.redeliveredOriginal, 1, 2_500, .again(step: 0, pass: 3)), (.retry, 2, 1_990, .settle),
            (.retry, 2, 2_500, .settle), (.retry, 3, 1_999, .push), (.retry, 3, 2_000, .push),
            (.retry, 4, 2_000, .push), (.redeliveredRetry, 2, 2_500, .again(step: 0, pass: 3)),
            (.redeliveredRetry, 3, 1_999, .again(step: 0, pass: 3)), (.redeliveredRetry, 3, 2_000, .push),
            (.copy, 2, 1_971, .again(step: 2, pass: 3)), (.copy, 3, 2_001, .push),
        ] as [(Delivery, Int, Int64, Step)]
    )
    func aDeferredRecordDecidesAboutItsCopies(delivery: Delivery, pass: Int, seconds: Int64, step: Step) throws {
        let isRetry = delivery != .original && delivery != .redeliveredOriginal
        var properties = AMQPProperties(timestamp: 1_900)
        if isRetry {
            properties.headers = [
                ("x-waybill-attempt", .int64(Int64(pass))), ("x-waybill-items", "0"),
                ("x-waybill-first-seen", .int64(1_900_500)), ("x-waybill-time", .int64(1_900_000)),
                ("x-waybill-digest", .string(String(repeating: "0", count: 32))),
            ]
            if delivery == .copy { properties.headers.append(("x-waybill-copy", true)) }
        }
        let message = try #require(
            Samples.message(
                #"[{"device_token":"aa01","message":"one"}]"#,
                isRedelivered: delivery == .redeliveredOriginal || delivery == .redeliveredRetry,
                properties: properties,
                from: isRetry ? Samples.retry : Samples.dispatch
            )
        )
        let next = PlannedPass(number: 3, due: 2_000_000)
        let found = RecordedDelivery(outcome: .deferred, attempts: 2, statusCode: 503, date: 5, next: next)
        let policy = RetryPolicy(steps: [5, 10, 30].map(DelayStep.init(seconds:)))
        let recalled = message.recalled(RecallFindings(own: [0: found]))
        let plan = SendPlan(recalled, lanes: Samples.lanes, policy: policy, now: seconds * 1000)
        #expect(plan.requests.count == (step == .push ? 1 : 0))
        #expect(plan.settled == (step == .settle ? [0] : []))
        if case .again(let step, let pass) = step {
            #expect(plan.again == [SendPlan.Again(step: step, pass: pass): [0]])
        } else {
            #expect(plan.again.isEmpty)
        }
        // A record of 0.2.0 says nothing of its retry.
        let old = message.recalled(RecallFindings(own: [0: RecordedDelivery(outcome: .deferred, attempts: 2, date: 5)]))
        #expect(SendPlan(old, lanes: Samples.lanes, policy: policy, now: seconds * 1000).requests.count == 1)
    }

    /// What was sent before; an attempt without an answer may have reached the phone.
    @Test(arguments: [(503, Outcome.superseded), (nil, .unknown)] as [(Int?, Outcome)])
    func whatANewerOneReplacesIsNotSent(status: Int?, outcome: Outcome) throws {
        var properties = AMQPProperties()
        properties.headers = Samples.retryHeaders("0")
        var message = try #require(
            Samples.message(
                #"[{"device_token":"aa01","message":"one","collapse_id":"score"}]"#,
                properties: properties,
                from: Samples.retry
            )
        )
        let found = RecordedDelivery(
            outcome: .deferred,
            attempts: 1,
            statusCode: status,
            reason: status == nil ? "timeout" : nil,
            date: 5
        )
        let newer = NotificationID(high: 0x01A2_02A9_2428_8569, low: 0x8B31_2096_3BA0_0018)
        message = message.recalled(RecallFindings(own: [0: found], newer: [0: newer]))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: now)
        #expect(plan.requests.isEmpty)
        #expect(plan.outcomes.map(\.outcome) == [outcome])
        if outcome == .superseded {
            #expect(plan.outcomes.first?.reason == "by 01a202a9-2428-8569-8b31-20963ba00018")
        }
    }
}
