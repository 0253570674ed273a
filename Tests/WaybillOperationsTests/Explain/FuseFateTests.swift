import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillMongo
import WaybillProviders

@testable import WaybillOperations

@Suite("What a fuse of prune has done with an event") struct FuseFateTests {
    private static let minute: Int64 = 60_000
    private static let name = FuseName(lane: "parcels", app: "com.example.app")
    private static let id = NotificationID(high: 7, low: 6)

    /// One that has blown in minute 12, for what was said since minute 10.
    private static func fuse(_ state: Fuse.State = .blown, decidedAt: Int64 = 20) -> Fuse {
        let cause = Fuse.Cause(
            at: 12 * minute,
            since: 10 * minute,
            answers: 210,
            invalid: 200,
            limit: 200,
            usual: 30,
            reason: "BadDeviceToken",
            words: "this looks like a test"
        )
        let decision = FuseDecision(name: "anna@push-1", date: decidedAt * minute, note: "sandbox key")
        return Fuse(name: name, state: state, cause: cause, decision: state == .blown ? nil : decision)
    }

    private static func record(
        _ minute: Int64,
        second: Int64 = 0,
        outcome: String = "token_invalid",
        status: Int = 410
    ) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: id.high, id.low)
                writer.append("device_token", string: "dead00")
                writer.append("outcome", string: outcome)
                writer.append("status_code", int: status)
                writer.append("reason", string: status == 410 ? "Unregistered" : "BadDeviceToken")
                writer.append("date", date: minute * Self.minute + second * 1000)
                writer.append("lane", string: "parcels")
                writer.append("topic", string: "com.example.app.voip")
            }
        )
    }

    private static func standing(_ state: TokenEvents.State, token: String = "dead00") -> TokenEvents.Standing {
        TokenEvents.Standing(id, token: token, name: name, state: state)
    }

    @Test(
        "by the event's state in the store, the fuse, and when it was said",
        arguments: [
            (.held, .blown, 11, "held"), (nil, .blown, 11, "due"), (.applied, .blown, 11, "due"), (nil, .blown, 9, nil),
            (.applied, .blown, 9, nil), (.held, .discarded, 11, "discarded"), (.held, .released, 11, "released"),
            (.discarded, .discarded, 11, "discarded"), (.released, .released, 11, "released"),
            // Still on its way while somebody decides, and after that.
            (nil, .discarded, 20, "discarded"), (nil, .discarded, 21, nil), (nil, .released, 11, nil),
            (.discarded, .discarded, 20, "discarded"), (.held, .released, 20, "released"),
            (.applied, .released, 11, nil),
        ] as [(TokenEvents.State?, Fuse.State, Int64, String?)]
    )
    func fate(state: TokenEvents.State?, fuse: Fuse.State, minute: Int64, word: String?) {
        let found = FuseFindings([Self.fuse(fuse)], state.map { [Self.standing($0)] } ?? [], holdsDigests: false)
        let told: String? =
            switch found.fate(of: Self.record(minute)) {
            case nil: nil
            case .held(_, true): "held"
            case .held(_, false): "due"
            case .discarded(_, let blow): blow?.decision.name == "anna@push-1" ? "discarded" : "nobody's"
            case .released(_, let blow): blow?.decision.name == "anna@push-1" ? "released" : "nobody's"
            case .later: "later"
            }
        #expect(told == word)
    }

    /// What was said in the minute of a decision, seconds before it or after it.
    private static let aroundDecision: [(TokenEvents.State?, Fuse.State, Int64, String)] = [
        (nil, .discarded, 29, "discarded"), (nil, .discarded, 30, "discarded"),
        (nil, .discarded, 31, "not carried out"),
        (.discarded, .discarded, 29, "discarded"), (.discarded, .discarded, 31, "not carried out"),
        (.held, .discarded, 31, "not carried out"), (.released, .released, 29, "released"),
        (.released, .released, 31, "carried out"), (.held, .released, 31, "carried out"),
    ]

    @Test("a decision is about what was said before it, to the millisecond", arguments: aroundDecision)
    func exactTimes(state: TokenEvents.State?, decided: Fuse.State, second: Int64, word: String) throws {
        var fuse = Self.fuse(decided)
        let decision = 20 * Self.minute + 30_000
        fuse.decision?.date = decision
        let record = Self.record(20, second: second)
        let fate = try #require(
            FuseFindings([fuse], state.map { [Self.standing($0)] } ?? []).fate(of: record)
        )
        let step = StoryAdvice.step(of: fate, record, .operators)
        #expect(step.text.hasPrefix(word), "\(step.text)")
        #expect(step.date == max(decision, record.date))
        let isLater = second > 30
        #expect(step.text.contains("it was said after what the fuse") == isLater, "\(step.text)")
        #expect(step.text.contains("by anna@push-1 (sandbox key)"))
        #expect(fate.isDoubt == (decided == .discarded))
        #expect(fate.isDiscarded == (decided == .discarded))
        let next = Self.next(fate)
        if decided == .released {
            #expect(next == Self.next(nil))
        } else {
            #expect(next.count == 1 && next[0].hasPrefix("The token may be good"), "\(next)")
            #expect(next[0].contains("a person has called wrong") == !isLater, "\(next)")
        }
    }

    /// What was said in the minute of a decision, and in the next one, in which the fuse has blown again.
    private static let beforeNextStorm: [(TokenEvents.State?, Fuse.State, Int64, Int64, String?)] = [
        (.discarded, .discarded, 20, 31, "not carried out"), (nil, .discarded, 20, 31, "not carried out"),
        (.applied, .discarded, 20, 31, "not carried out"), (.discarded, .discarded, 20, 29, "discarded"),
        (.applied, .released, 20, 31, nil), (nil, .released, 20, 31, nil), (.released, .released, 20, 29, "released"),
        (.held, .discarded, 21, 0, "held"), (nil, .released, 21, 0, "to be held"),
    ]

    @Test("what the next storm's fuse holds begins with that storm", arguments: beforeNextStorm)
    func nextStorm(state: TokenEvents.State?, decided: Fuse.State, minute: Int64, second: Int64, word: String?) throws {
        var first = Self.fuse(decided)
        first.decision?.date += 30_000
        var fuse = Self.fuse()
        fuse.cause.since = 21 * Self.minute
        fuse.cause.at = 22 * Self.minute
        fuse.past = [try #require(first.blow(at: 11 * Self.minute, decided))]
        let found = FuseFindings([fuse], state.map { [Self.standing($0)] } ?? [])
        let record = Self.record(minute, second: second)
        let fate = found.fate(of: record)
        let text = fate.map { StoryAdvice.step(of: $0, record, .operators).text }
        #expect(word.map { text?.hasPrefix($0) == true } ?? (text == nil), "\(text ?? "nothing")")
        // A batch has no states: of what was said before the decision, its advice is that of the rest.
        let group = DeliveryGroup(
            outcome: "token_invalid",
            reason: "Unregistered",
            lane: "parcels",
            topic: "com.example.app",
            count: 30,
            first: 0,
            last: record.date
        )
        let story = BatchStory(name: "b", groups: [group], sample: nil, next: [])
        let advice = StoryAdvice.next(of: story, fuses: found).joined(separator: " ")
        let isHeld = minute == 21
        #expect(advice.contains("holds what was said since 1970-01-01T00:21:00.000Z") == isHeld, "\(advice)")
        #expect(advice.contains("may be good") == (!isHeld && decided == .discarded), "\(advice)")
    }

    @Test("an event of another token with the same id is not its own, where tokens are whole")
    func anotherToken() {
        let standings = [Self.standing(.held, token: "aa00")]
        let whole = FuseFindings([Self.fuse()], standings, holdsDigests: false)
        #expect(whole.fate(of: Self.record(9)) == nil)
        let digests = FuseFindings([Self.fuse()], standings, holdsDigests: true)
        #expect(digests.fate(of: Self.record(9)) == .held(Self.fuse(), isStored: true))
    }

    @Test("what a later push has told counts more than a person's word about an earlier answer", arguments: [10, 12])
    func overtaken(minute: Int64) {
        let step = StoryStep(.registry, date: minute * Self.minute, text: "disabled for com.example.app")
        let next = StoryAdvice.next(
            of: Self.record(11),
            verdict: .dead,
            registry: [step],
            eventTaker: .prune,
            fuse: .discarded(Self.name, nil)
        )
        let isTold = next.contains { $0.hasPrefix("Publish no more to this token") }
        #expect(isTold == (minute == 12), "\(next)")
        #expect(next.contains { $0.hasPrefix("The token may be good") } == (minute == 10), "\(next)")
    }

    @Test(
        "what was released waits in the store where no prune runs, and not in a queue",
        arguments: ["released", "to be held", ""]
    )
    func releasedWithoutPrune(state: String) {
        let isReleased = state == "released"
        let fate: FuseFate? =
            state.isEmpty ? nil : isReleased ? .released(Self.name, nil) : .held(Self.fuse(), isStored: false)
        let next = StoryAdvice.next(
            of: Self.record(11),
            verdict: .dead,
            registry: [StoryStep(.registry, date: nil, text: "enabled for com.example.app")],
            eventTaker: .nobody,
            fuse: fate
        ).joined(separator: " ")
        #expect(next.contains("released, waits in the store") == isReleased, "\(next)")
        #expect(next.contains("waits in the queue") == !isReleased, "\(next)")
    }

    private static func next(_ fate: FuseFate?, _ status: Int = 410, _ reader: StoryReader = .operators) -> [String] {
        let record = record(11, status: status)
        return StoryAdvice.next(
            of: record,
            verdict: status == 410 ? .dead : .suspect,
            registry: [StoryStep(.registry, date: nil, text: "enabled for com.example.app")],
            eventTaker: .prune,
            fuse: fate,
            reader: reader
        )
    }

    @Test("where the app has said that it arrived, nobody has to look at the device", arguments: [true, false])
    func arrived(hasArrived: Bool) {
        let next = StoryAdvice.next(
            of: Self.record(11, outcome: "accepted", status: 200),
            verdict: nil,
            registry: [],
            hasArrived: hasArrived
        )
        #expect(next.contains { $0.contains("Look at the device") } != hasArrived, "\(next)")
        #expect(next.contains { $0.hasPrefix("Nothing: it has arrived") } == hasArrived, "\(next)")
    }

    @Test(
        "the advice about a batch goes by the fuse, too",
        arguments: [
            (.blown, 9, "stop sending to it"), (.blown, 11, "Whether the tokens are dead is in doubt"),
            (.discarded, 20, "The tokens may be good"), (.discarded, 21, "stop sending to it"),
            (.released, 11, "stop sending to it"),
        ] as [(Fuse.State, Int64, String)]
    )
    func batches(state: Fuse.State, minute: Int64, words: String) {
        let group = DeliveryGroup(
            outcome: "token_invalid",
            reason: "Unregistered",
            lane: "parcels",
            topic: "com.example.app.voip",
            count: 3,
            first: minute * Self.minute,
            last: minute * Self.minute
        )
        let story = BatchStory(name: "b", groups: [group], sample: nil, next: [])
        let advice = StoryAdvice.next(of: story, fuses: FuseFindings([Self.fuse(state)])).joined(separator: " ")
        for other in ["stop sending to it", "is in doubt", "may be good"] {
            #expect(advice.contains(other) == words.contains(other), "\(advice)")
        }
    }

    /// A dispatcher that has seen a storm by minute 11, as `status` tells it.
    private static func storms(lane: String = "parcels") -> TokenStorms {
        TokenStorms([.storm(lane: lane, advice: "Live tokens may be called dead.", started: 0, seen: 11 * minute)])
    }

    @Test(
        "before a fuse has blown, tokens that died in a storm of which status tells are in doubt",
        arguments: [
            (storms(), nil, 11, true), (storms(), nil, 9, false), (storms(lane: "news"), nil, 11, false),
            (TokenStorms(), nil, 11, false), (storms(), .released, 11, false),
        ] as [(TokenStorms, Fuse.State?, Int64, Bool)]
    )
    func storm(storms: TokenStorms, decided: Fuse.State?, minute: Int64, isDoubtful: Bool) {
        let group = DeliveryGroup(
            outcome: "token_invalid",
            reason: "Unregistered",
            lane: "parcels",
            topic: "com.example.app",
            count: 80,
            first: 0,
            last: minute * Self.minute
        )
        let story = BatchStory(name: "b", groups: [group], sample: nil, next: [])
        let fuses = FuseFindings(decided.map { [Self.fuse($0)] } ?? [])
        let next = StoryAdvice.next(of: story, fuses: fuses, storms: storms)
        let advice = next.joined(separator: " ")
        #expect(advice.contains("is in doubt: many died at once") == isDoubtful, "\(advice)")
        #expect(next.contains("Live tokens may be called dead.") == isDoubtful, "\(advice)")
        #expect(advice.contains("stop sending to it") != isDoubtful, "\(advice)")
    }

    private static let uncounted: [(Set<Int64>, Int64, Bool)] = [
        ([20], 20, true), ([20], 19, true), ([20], 30, true), ([20], 31, false), ([20], 18, false), ([], 20, false),
    ]

    @Test("what died while nobody has counted it is in doubt", arguments: uncounted)
    func notCounted(minutes: Set<Int64>, minute: Int64, isDoubtful: Bool) {
        let storms = TokenStorms([], uncounted: minutes)
        let doubt = storms.doubt(lane: "parcels", last: minute * Self.minute)
        #expect(doubt == (isDoubtful ? .uncounted : nil))
        for (reader, isPlural) in [(StoryReader.operators, true), (.client(.all), false)] {
            let next = doubt.map { StoryAdvice.next(of: $0, reader, isPlural: isPlural) } ?? []
            #expect(next.count == (isDoubtful ? 1 : 0))
            #expect(next.allSatisfy { $0.contains("is in doubt: a dispatcher has gone") && !$0.contains("`") })
        }
    }

    @Test("what died lately is in doubt where the store does not say what died besides")
    func notRead() {
        let storms = TokenStorms([], unread: 20)
        for (minute, isDoubtful) in [(19, false), (20, true), (90, true)] as [(Int64, Bool)] {
            #expect(storms.doubt(lane: "parcels", last: minute * Self.minute) == (isDoubtful ? .unread : nil))
        }
        #expect(TokenStorms([], uncounted: [20], unread: 20).doubt(lane: nil, last: 20 * Self.minute) == .uncounted)
        let mine = StoryAdvice.next(of: .unread, .operators).joined()
        #expect(mine.contains("is in doubt: the store does not say") && mine.contains("statistics and processes"))
        #expect(!StoryAdvice.next(of: .unread, .client(.all)).joined().contains("find"))
    }

    @Test("nobody calls a token dead that the fuse doubts", arguments: [410, 400])
    func doubt(status: Int) throws {
        let next = Self.next(.held(Self.fuse(), isStored: true), status)
        let wrong = ["ublish no more", "still has the token enabled"]
        #expect(!next.contains { sentence in wrong.contains { sentence.contains($0) } }, "\(next)")
        #expect(next.first?.hasPrefix("Whether the token is dead is in doubt: the fuse of the lane parcels") == true)
        #expect(next.first?.contains("since 1970-01-01T00:10:00.000Z") == true)
        let which = "parcels --app com.example.app"
        for command in ["status", "release \(which)", "discard \(which)"] {
            #expect(next.contains { $0.hasSuffix("`waybill prune \(command)`.") }, "\(next)")
        }
        // Whoever has a key for some clients has no commands.
        let client = Self.next(.held(Self.fuse(), isStored: true), status, .client([]))
        #expect(client.last == "Ask the operator, who decides about what is held.")
        #expect(!client.contains { $0.contains("`") })
    }

    @Test("a decision is followed in words, too")
    func decided() {
        let dead = Self.next(nil)
        #expect(Self.next(.released(Self.name, nil)) == dead)
        let next = Self.next(.discarded(Self.name, nil))
        #expect(next.count == 1 && next[0].hasPrefix("The token may be good"), "\(next)")
    }

    @Test("the step says since when, by which fuse, and why")
    func step() {
        let record = Self.record(11)
        let held = StoryAdvice.step(of: .held(Self.fuse(), isStored: true), record, .operators)
        #expect(held.date == 12 * Self.minute)
        #expect(
            held.text
                == "held by the fuse of the lane parcels and com.example.app, until a person decides: 200 of 210 "
                + "answers (95 %, where 3 % is usual) called the token dead or wrong (BadDeviceToken) when the fuse blew: this looks like a test"
        )
        let later = StoryAdvice.step(of: .held(Self.fuse(), isStored: true), Self.record(14), .client([]))
        #expect(later.date == 14 * Self.minute)
        #expect(later.text.hasSuffix("decides: this looks like a test"))
        let blow = Self.fuse(.discarded).blow(at: 11 * Self.minute, .discarded)
        let discarded = StoryAdvice.step(of: .discarded(Self.name, blow), record, .operators)
        #expect(discarded.date == 20 * Self.minute)
        #expect(discarded.text.hasSuffix(", by anna@push-1 (sandbox key)"))
        #expect(StoryAdvice.step(of: .discarded(Self.name, blow), record, .client([])).text.hasSuffix(", by a person"))
    }
}
