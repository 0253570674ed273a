import Testing
import WaybillAudience
import WaybillDeliveryLog
import WaybillMessages
import WaybillNotifications

@testable import WaybillSchedule

struct ProgressRuleTests {
    private static let begins: Int64 = 1_795_000_000_000
    private static let hour: Int64 = 3_600_000

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        var audience: AudienceRecord.State?
        var handedOver = 0
        var withoutLane = 0
        var counts: [String: Int] = [:]
        var after: Int64 = 60_000
        let state: PostedProgress.State
        var reason: String?

        var testDescription: String { what }
    }

    private static let message = AudienceMessage(
        id: "n",
        client: "acme",
        content: Array(#""message":"x""#.utf8),
        selection: AudienceSelection(app: "a", kind: .users(["anna"])),
        at: begins
    )

    /// A fan-out that was killed with a page of ten under way, behind five that are confirmed.
    @Test(arguments: [(0, 5, 10), (5, 5, 10), (12, 12, 3), (15, 15, 0), (20, 15, 0)])
    func whatTheLogKnowsWasHandedOver(recorded: Int, handedOver: Int, unconfirmed: Int) {
        var audience = AudienceRecord(Self.message, createdAt: Self.begins)
        audience.handedOver = 5
        audience.page = AudiencePage(time: 0, messages: [.init(count: 10, isUrgent: false, body: [])], isLast: true)
        let counts = recorded == 0 ? [] : [OutcomeCount(outcome: "accepted", count: recorded)]
        let progress = ProgressRule.progress(audience, counts, begins: Self.begins, now: Self.begins)
        #expect((progress.handedOver, progress.unconfirmed) == (handedOver, unconfirmed))
        // Paused or not: it is not known.
        audience.isHeld = true
        #expect(ProgressRule.progress(audience, counts, begins: Self.begins, now: Self.begins) == progress)
    }

    static let cases: [Case] = [
        Case(what: "not entered yet, not due", after: -hour, state: .scheduled),
        Case(what: "not entered yet, due", state: .sending),
        Case(
            what: "never entered",
            after: 80 * hour,
            state: .failed,
            reason: "its audience has no record; look for its message in the rejected queue"
        ),
        Case(what: "waits for its time", audience: .waiting, after: -hour, state: .scheduled),
        Case(what: "due, and nobody has begun", audience: .waiting, state: .sending),
        Case(what: "expanding", audience: .expanding, handedOver: 5, counts: ["accepted": 5], state: .sending),
        Case(what: "some without an outcome", audience: .done, handedOver: 5, counts: ["accepted": 4], state: .sending),
        Case(
            what: "some put off",
            audience: .done,
            handedOver: 5,
            counts: ["accepted": 4, "deferred": 1],
            state: .sending
        ),
        Case(what: "all accepted", audience: .done, handedOver: 5, counts: ["accepted": 5], state: .sent),
        Case(
            what: "one of them",
            audience: .done,
            handedOver: 5,
            counts: ["accepted": 1, "rejected": 4],
            state: .sent
        ),
        Case(
            what: "none of them",
            audience: .done,
            handedOver: 5,
            counts: ["token_invalid": 5],
            state: .failed,
            reason: "no push was accepted"
        ),
        Case(
            what: "cancelled when all were handed over",
            audience: .done,
            handedOver: 5,
            counts: ["token_invalid": 1, "cancelled": 4],
            state: .cancelled,
            reason: "no push was accepted"
        ),
        Case(
            what: "some before they were cancelled",
            audience: .done,
            handedOver: 5,
            counts: ["accepted": 1, "cancelled": 4],
            state: .sent
        ),
        Case(what: "all superseded", audience: .done, handedOver: 5, counts: ["superseded": 5], state: .sent),
        Case(
            what: "some superseded, the others refused",
            audience: .done,
            handedOver: 5,
            counts: ["superseded": 1, "token_invalid": 4],
            state: .sent
        ),
        Case(
            what: "some superseded, the others cancelled",
            audience: .done,
            handedOver: 5,
            counts: ["superseded": 1, "cancelled": 4],
            state: .sent
        ),
        Case(
            what: "some superseded, the others put off",
            audience: .done,
            handedOver: 5,
            counts: ["superseded": 1, "deferred": 4],
            state: .sending
        ),
        Case(what: "nobody", audience: .done, state: .failed, reason: "no device that may be pushed to matches"),
        Case(what: "no lane", audience: .done, withoutLane: 3, state: .failed, reason: "no device has a lane"),
        Case(
            what: "cancelled, some on their way",
            audience: .cancelled,
            handedOver: 5,
            counts: ["accepted": 3],
            state: .sending
        ),
        Case(
            what: "cancelled",
            audience: .cancelled,
            handedOver: 5,
            counts: ["accepted": 3, "cancelled": 2],
            state: .cancelled,
            reason: "why"
        ),
        Case(
            what: "no outcome for days",
            audience: .done,
            handedOver: 5,
            counts: ["accepted": 4],
            after: 80 * hour,
            state: .sent,
            reason: "of 1 notifications the outcome is not known after three days"
        ),
    ]

    @Test(arguments: cases)
    func theStateIsWhatRecordAndLogSay(_ one: Case) {
        let now = Self.begins + one.after
        var record: AudienceRecord?
        if let state = one.audience {
            var made = AudienceRecord(Self.message, createdAt: Self.begins)
            made.state = state
            made.expanded = one.handedOver + one.withoutLane
            made.handedOver = one.handedOver
            made.withoutLane = one.withoutLane
            made.reason = state == .cancelled ? "why" : nil
            record = made
        }
        let counts = one.counts.map { OutcomeCount(outcome: $0.key, count: $0.value) }
        let progress = ProgressRule.progress(record, counts, begins: Self.begins, now: now)
        #expect(progress.state == one.state)
        #expect(progress.reason == one.reason)
        #expect(progress.handedOver == one.handedOver)
    }

    /// What was entered or has ended only now is waited for, however long ago it was to begin: by a former version's document, or
    /// since it was paused for days.
    @Test(arguments: [(0, nil), (-Self.hour, nil), (-90 * Self.hour, 0)] as [(Int64, Int64?)])
    func whatIsNewIsNotLate(entered: Int64, ended: Int64?) {
        let now = Self.begins + 100 * Self.hour
        var audience = AudienceRecord(Self.message, createdAt: now + entered)
        audience.state = .done
        audience.handedOver = 5
        audience.finishedAt = ended.map { now + $0 }
        let counts = [OutcomeCount(outcome: "accepted", count: 4)]
        #expect(ProgressRule.progress(audience, counts, begins: Self.begins, now: now).state == .sending)
        let later = now + 80 * Self.hour
        #expect(ProgressRule.progress(audience, counts, begins: Self.begins, now: later).state == .sent)
    }

    /// A state, how long after its beginning it is looked at, and how long after that beginning the next look is.
    private static let looks: [(PostedProgress.State, Int64, Int64)] = [
        (.scheduled, -10_000, -2000), (.scheduled, -2000, 500), (.scheduled, -hour, -hour + 60_000),
        (.sending, 0, 500), (.sending, 40_000, 50_000), (.sending, hour, hour + 60_000),
    ]

    /// What waits is looked at soon after it begins, and from time to time before, since it may be cancelled.
    @Test(arguments: looks)
    func itIsLookedAtTheLaterTheLongerItTakes(state: PostedProgress.State, after: Int64, next: Int64) {
        let now = Self.begins + after
        #expect(ProgressRule.next(state, begins: Self.begins, isUntold: false, now: now) == Self.begins + next)
        // Its audience is to rest, and may be entered at any moment.
        #expect(ProgressRule.next(state, begins: Self.begins, isUntold: true, now: now) == now + 500)
    }
}
