import Testing
import WaybillAMQP
import WaybillAPNS
import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

struct RecallRuleTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let hour: Int64 = 3_600_000

    struct Case {
        var isUnmistakable = false
        var isRedelivered = false
        var isNamed = true
        /// Hours before now; `nil` where the log has nothing.
        let age: Double?
        let verdict: RecallRule.Verdict
    }

    static let cases = [
        // Nothing found: it is new, or lost its first pass.
        Case(age: nil, verdict: .own),
        Case(isRedelivered: true, age: nil, verdict: .own),
        // The repeat of a named one comes soon, its producer's or the broker's; a clock may run ahead.
        Case(age: 0, verdict: .own),
        Case(age: -1, verdict: .own),
        Case(age: 5.99, verdict: .own),
        Case(age: 6, verdict: .another(isCopy: false)),
        Case(age: 24, verdict: .another(isCopy: false)),
        Case(isRedelivered: true, age: 0, verdict: .own),
        Case(isRedelivered: true, age: 6, verdict: .another(isCopy: true)),
        // Without a name the records may be another notification's, also where the broker hands the message out again.
        Case(isNamed: false, age: nil, verdict: .another(isCopy: false)),
        Case(isNamed: false, age: 0, verdict: .another(isCopy: false)),
        Case(isNamed: false, age: 24, verdict: .another(isCopy: false)),
        Case(isRedelivered: true, isNamed: false, age: nil, verdict: .another(isCopy: true)),
        Case(isRedelivered: true, isNamed: false, age: 5.99, verdict: .another(isCopy: true)),
        // With a time of its own there is no doubt.
        Case(isUnmistakable: true, age: 1_000, verdict: .own),
        Case(isUnmistakable: true, isRedelivered: true, isNamed: false, age: 1_000, verdict: .own),
    ]

    @Test(arguments: cases)
    func whoseRecords(_ test: Case) {
        let rule = RecallRule(
            isUnmistakable: test.isUnmistakable,
            isRedelivered: test.isRedelivered,
            isNamed: test.isNamed
        )
        let youngest = test.age.map { Self.now - Int64($0 * Double(Self.hour)) }
        #expect(rule.judge(youngest: youngest, now: Self.now) == test.verdict)
    }

    /// Which messages are looked up before they are sent, and what the rule is told of them.
    @Test func whatAMessageSaysOfItself() throws {
        let bare = #"[{"device_token":"aa01","message":"x"}]"#
        let given = #"[{"device_token":"aa01","message":"x","apns_id":"6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"}]"#
        let timed = AMQPProperties(timestamp: UInt64(WallClock.milliseconds() / 1000))
        let retry = AMQPProperties(headers: Samples.retryHeaders("0"))
        func rule(
            _ body: String,
            _ properties: AMQPProperties = AMQPProperties(),
            isRedelivered: Bool = false,
            from source: MessageSource = Samples.dispatch
        ) throws
            -> (needsRecall: Bool, rule: RecallRule)
        {
            let message = try #require(
                Samples.message(body, isRedelivered: isRedelivered, properties: properties, from: source)
            )
            return (message.needsRecall, RecallRule(message))
        }
        let unnamed = RecallRule(isUnmistakable: false, isRedelivered: false, isNamed: false)
        #expect(try rule(bare) == (true, unnamed))
        #expect(try rule(bare, AMQPProperties(messageID: "m")).1.isNamed)
        #expect(try !rule(bare, timed).needsRecall)
        #expect(try rule(bare, timed).1.isUnmistakable)
        #expect(try rule(bare, timed, isRedelivered: true).needsRecall)
        #expect(try rule(given, timed).needsRecall)
        // Who gives all ids himself leaves nothing to derive.
        #expect(try !rule(given).1.isNameless)
        #expect(try rule(bare).1.isNameless)
        #expect(
            try rule(bare, retry, from: Samples.retry) == (
                true, RecallRule(isUnmistakable: true, isRedelivered: false, isNamed: false)
            )
        )
        // A UUIDv7 names the message and tells its time, here one of long ago.
        let dated = AMQPProperties(messageID: "0192f0c1-2345-7abc-8def-0123456789ab")
        #expect(try rule(bare, dated) == (true, RecallRule(isUnmistakable: true, isRedelivered: false, isNamed: true)))
    }

    /// The second notification of a content goes back as a message of its own: no other ids, nothing left out.
    @Test func anIdentityOfItsOwn() throws {
        let first = try #require(Samples.message(Samples.mixed))
        let identity = MessageIdentity(milliseconds: 7, digest: .random())
        let parts = Publication.another(first, identity: identity, isCopy: false)
        #expect(parts.map(\.positions.count) == [4])
        for isCopy in [false, true] {
            let (properties, body) = RetryMessage.make(
                first,
                positions: [0, 1, 2, 3],
                pass: first.origin.pass,
                identity: identity,
                isCopy: isCopy
            )
            let second = try #require(
                Samples.message(String(decoding: body, as: UTF8.self), properties: properties, from: Samples.retry)
            )
            #expect(second.batch.identity == identity)
            #expect(second.batch.items.map(\.id) == (0..<4).map(identity.id(at:)))
            #expect(second.origin.pass == 1)
            #expect(second.origin.isRedelivered == isCopy)
            #expect(second.batch.id == first.batch.id)
            #expect(RecallRule(second).isUnmistakable)
        }
    }

    /// An id of the producer's that the log has for another notification: refused, and recorded under the derived id.
    @Test(arguments: [false, true])
    func aGivenIDThatIsTaken(isRedelivered: Bool) throws {
        let body = """
            [{"device_token":"aa01","message":"x","apns_id":"6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"},
             {"device_token":"aa02","message":"x"}]
            """
        var message = try #require(Samples.message(body, isRedelivered: isRedelivered))
        message = message.recalled(RecallFindings(withTakenID: [0, 1]))
        let plan = SendPlan(message, lanes: Samples.lanes, policy: RetryPolicy(), now: Self.now)
        #expect(plan.requests.apns.map(\.index) == [1])
        let refused = try #require(plan.outcomes.first)
        #expect(refused.outcome == .invalid)
        #expect(refused.reason == "apns_id: is recorded already for another notification")
        let record = RecordBuilder.makeEntry(for: refused, lanes: Samples.lanes).record
        #expect(record.id == message.batch.identity.id(at: 0))
        #expect(record.givenID == message.batch.items[0].id)
        #expect(record.fingerprint != nil)
        // Whoever had the message before may have pushed it, and another notification may have taken the id since.
        #expect(record.isRepeat == isRedelivered)
        // A derived one that is taken, which only chance or malice can bring about: pushed, and recorded beside it.
        let pushed = ItemOutcome(message: message, position: 1, outcome: .accepted, date: 9, attempts: 1)
        let other = RecordBuilder.makeEntry(for: pushed, lanes: Samples.lanes).record
        #expect(other.id == message.batch.identity.spareID(at: 1))
        #expect(other.givenID == message.batch.identity.id(at: 1))
    }

    /// The same, found out only when the record is written: the push has gone out under the id.
    @Test func aGivenIDThatWasTakenMeanwhile() throws {
        let body = #"[{"device_token":"aa01","message":"x","apns_id":"6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"}]"#
        let message = try #require(Samples.message(body))
        var pushed = ItemOutcome(message: message, position: 0, outcome: .accepted, date: 9, attempts: 1)
        #expect(RecordBuilder.makeEntry(for: pushed, lanes: Samples.lanes).record.givenID == nil)
        pushed.isIDTaken = true
        let record = RecordBuilder.makeEntry(for: pushed, lanes: Samples.lanes).record
        #expect(record.outcome == .accepted)
        #expect(record.id == message.batch.identity.id(at: 0))
        #expect(record.givenID == message.batch.items[0].id)
    }

    /// What the log knows is a part of the message that goes on; the rest of it stays what it was.
    @Test func aRecalledMessageIsTheSameOne() throws {
        let message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        message.isProbe = true
        let found = RecordedDelivery(outcome: .accepted, attempts: 1, date: 5)
        let recalled = message.recalled(RecallFindings(own: [1: found], withTakenID: [2]))
        #expect(recalled.finalizer === message.finalizer)
        #expect(recalled.isProbe)
        #expect(recalled.recalledDelivery(at: 1) == found)
        #expect(recalled.isIDTaken(at: 2))
        #expect(message.recalledDelivery(at: 1) == nil)
    }
}
