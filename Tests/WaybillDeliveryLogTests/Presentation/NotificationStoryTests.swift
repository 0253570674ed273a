import Testing
import WaybillCore
import WaybillMongo

@testable import WaybillDeliveryLog

@Suite struct NotificationStoryTests {
    private static let date: Int64 = 1_790_000_000_000

    private func record(
        outcome: Outcome = .accepted,
        status: Int? = 200,
        reason: String? = nil,
        attempts: Int = 1,
        history: [AttemptRecord] = [],
        id: NotificationID = NotificationID(high: UInt64(date - 60_000) << 16 | 0x8000, low: 1 << 63),
        date: Int64 = date,
        queued: Int64? = 350,
        maxAge: Int? = nil,
        waited: [LaneWait] = []
    ) -> LoggedDelivery {
        var record = DeliveryRecord.sample(outcome: outcome, reason: reason, date: date, attempts: attempts)
        record.id = id
        record.statusCode = status
        record.queuedMilliseconds = queued
        record.history = history
        record.maxAge = maxAge
        record.waited = waited
        let writer = BSONWriter()
        RecordEncoder(options: DeliveryLogOptions(database: "d", retention: .init(default: .keep)))
            .encode(record, into: writer)
        return LoggedDelivery(document: writer.document)
    }

    private func kinds(_ record: LoggedDelivery) -> [StoryStep.Kind] {
        NotificationStory.steps(of: record, provider: "APNs").map(\.kind)
    }

    @Test func aPushThatWasTakenAtOnce() {
        let steps = NotificationStory.steps(of: record(), provider: "APNs")
        #expect(steps.map(\.kind) == [.published, .received, .attempt, .outcome])
        #expect(steps.map(\.date) == [Self.date - 60_000, Self.date - 59_650, Self.date, Self.date])
        #expect(steps[1].text == "350 ms after its publication")
        #expect(steps[2].statusCode == 200)
    }

    @Test func aPushThatWasRefusedTwiceAndThenGivenUp() {
        let history = [
            AttemptRecord(date: Self.date - 40_000, status: 503, reason: "Shutdown"),
            AttemptRecord(date: Self.date - 39_900, status: nil, reason: nil),
            AttemptRecord(date: Self.date - 9_900, status: 429, reason: "TooManyRequests"),
        ]
        let record = record(outcome: .rejected, status: 429, reason: "TooManyRequests", attempts: 3, history: history)
        let steps = NotificationStory.steps(of: record, provider: "APNs")
        #expect(
            steps.map(\.kind) == [.published, .received, .attempt, .attempt, .putOff, .attempt, .outcome]
        )
        #expect(steps[1].date == Self.date - 59_650)
        #expect(steps[4].text == "for 30 s")
        #expect(steps[3].text == "no answer")
        #expect(steps.last?.reason == "TooManyRequests")
    }

    /// Two clocks, or one that is read twice, tell the same moment differently.
    @Test(arguments: [0, 1, 500] as [Int64]) func whatIsSentAtOnceWasReceivedBefore(millisecondsAhead: Int64) {
        let received = Self.date - 1_000
        let history = [
            AttemptRecord(date: received - millisecondsAhead, status: nil, reason: nil),
            AttemptRecord(date: Self.date, status: 200, reason: nil),
        ]
        let once = record(attempts: 2, history: history, queued: 59_000)
        let steps = NotificationStory.steps(of: once, provider: "APNs")
        #expect(steps.map(\.kind) == [.published, .received, .attempt, .putOff, .attempt, .outcome])
        #expect(steps[1].date == received - millisecondsAhead)
        #expect(steps[1].text == "59 s after its publication")
        let earlier = AttemptRecord(date: received - 40_000, status: 503, reason: "Shutdown")
        let twice = record(attempts: 3, history: [earlier] + history, queued: 59_000)
        let again = NotificationStory.steps(of: twice, provider: "APNs")
        #expect(
            again.map(\.kind)
                == [.published, .received, .attempt, .putOff, .received, .attempt, .putOff, .attempt, .outcome]
        )
        #expect(again[4].date == received - millisecondsAhead)
        // The only attempt has no history.
        let only = NotificationStory.steps(of: record(queued: 60_000 + millisecondsAhead), provider: "APNs")
        #expect(only.map(\.kind) == [.published, .received, .attempt, .outcome])
        #expect(only[1].date == Self.date)
    }

    /// A record tells of its last receipt only.
    @Test func whatWasTakenAgainIsToldSo() {
        let history = [
            AttemptRecord(date: Self.date - 40_000, status: 503, reason: "Shutdown"),
            AttemptRecord(date: Self.date - 1_000, status: 503, reason: "Shutdown"),
        ]
        let record = record(outcome: .rejected, status: 503, attempts: 2, history: history, queued: 55_000)
        let steps = NotificationStory.steps(of: record, provider: "APNs")
        #expect(steps.map(\.kind) == [.published, .received, .attempt, .putOff, .received, .attempt, .outcome])
        #expect(steps[1].date == Self.date - 40_000)
        #expect(steps[1].text.hasPrefix("by then"))
        #expect(steps[4].date == Self.date - 5_000)
        #expect(steps[4].text == "taken again, 55 s after its publication")
    }

    /// A message that its lane held back was received before, and says why it was not sent.
    @Test func aWaitForTheLaneIsToldWithItsReason() {
        let waits = [
            LaneWait(.paused, from: Self.date - 59_000, until: Self.date - 29_000, times: 2),
            LaneWait(.refused, from: Self.date - 28_900, until: Self.date - 1_000),
        ]
        let record = record(queued: 59_200, waited: waits)
        let steps = NotificationStory.steps(of: record, provider: "APNs")
        #expect(steps.map(\.kind) == [.published, .received, .putOff, .putOff, .received, .attempt, .outcome])
        #expect(steps[1].date == Self.date - 59_000)
        #expect(steps[1].text == "by then: it was put off unsent")
        #expect(steps[2].text == "for 30 s, put off 2 times: an operator had paused its lane")
        #expect(steps[3].text == "for 27.9 s: APNs refused its lane, by key, certificate or topic")
        #expect(steps[4].text == "taken again, 59.2 s after its publication")
    }

    /// Between two attempts: the pause after the first is its own until the lane held it back.
    @Test func aWaitForTheLaneCutsThePauseAfterAnAttempt() {
        let history = [
            AttemptRecord(date: Self.date - 50_000, status: 503, reason: "Shutdown"),
            AttemptRecord(date: Self.date, status: 200, reason: nil),
        ]
        let waits = [LaneWait(.unreachable, from: Self.date - 45_000, until: Self.date - 15_000)]
        let steps = NotificationStory.steps(
            of: record(attempts: 2, history: history, queued: 45_500, waited: waits),
            provider: "APNs"
        )
        #expect(
            steps.map(\.kind) == [.published, .received, .attempt, .putOff, .putOff, .received, .attempt, .outcome]
        )
        #expect(steps[3].text == "for 5 s")
        #expect(steps[4].text == "for 30 s: its lane did not reach APNs")
    }

    /// One push after the other finds out whether the lane is still refused: that is one wait, and its attempts.
    @Test func whatWasRefusedForItsLaneAgainAndAgainWaitedOnce() {
        let history = [50, 20, 0].map { seconds in
            AttemptRecord(
                date: Self.date - seconds * 1000,
                status: seconds == 0 ? 200 : 403,
                reason: seconds == 0 ? nil : "InvalidProviderToken"
            )
        }
        let waits = [LaneWait(.refused, from: Self.date - 50_000, until: Self.date - 1_000, times: 2)]
        let steps = NotificationStory.steps(
            of: record(attempts: 3, history: history, queued: 59_500, waited: waits),
            provider: "APNs"
        )
        #expect(
            steps.map(\.kind) == [.published, .received, .attempt, .putOff, .attempt, .received, .attempt, .outcome]
        )
        #expect(steps[3].text == "for 49 s, put off 2 times: APNs refused its lane, by key, certificate or topic")
    }

    @Test func theRestOfADelayIsNoPause() {
        let waits = [
            LaneWait(.paused, from: Self.date - 59_000, until: Self.date - 40_000),
            LaneWait(.delayed, from: Self.date - 40_000, until: Self.date - 1_000),
        ]
        let steps = NotificationStory.steps(of: record(queued: 59_200, waited: waits), provider: "APNs")
        #expect(steps[2].text == "for 19 s: an operator had paused its lane")
        #expect(steps[3].text == "for 39 s: its lane sent again, and its delay ended at 2026-09-21T14:13:19.000Z")
    }

    @Test func whatWaitsForItsLaneNowIsToldOnce() {
        let now = LaneWait(.paused, from: Self.date)
        let steps = NotificationStory.steps(
            of: record(outcome: .deferred, status: nil, reason: "parked: paused by anna", attempts: 0, waited: [now]),
            provider: "APNs"
        )
        #expect(steps.filter { $0.kind == .putOff }.map(\.text) == ["it waits"])
        let longer = LaneWait(.paused, from: Self.date - 30_000, times: 2)
        let again = NotificationStory.steps(
            of: record(outcome: .deferred, status: nil, attempts: 0, waited: [longer]),
            provider: "APNs"
        )
        #expect(again.contains { $0.text == "put off 2 times: an operator had paused its lane" })
    }

    @Test(arguments: [Int64.min, -1, 0, .max]) func aWaitOfAnyDateIsTold(date: Int64) {
        let waits = [LaneWait(.slow, from: date, until: .min), LaneWait(.slow, from: date, until: .max)]
        let record = record(date: date, queued: date, waited: waits)
        #expect(kinds(record).filter { $0 == .putOff }.count == 2)
    }

    /// What was cancelled in the middle of a delay did not wait to its end.
    @Test func noWaitLastsBeyondItsRecord() {
        let waits = [LaneWait(.paused, from: Self.date - 10_000, until: Self.date + 90_000)]
        let steps = NotificationStory.steps(
            of: record(outcome: .cancelled, status: nil, reason: "by anna", attempts: 0, waited: waits),
            provider: "APNs"
        )
        #expect(steps.contains { $0.text == "for 10 s: an operator had paused its lane" })
    }

    @Test func whatHasAnIDOfItsOwnWasReceivedAtTheLatest() {
        let steps = NotificationStory.steps(of: record(id: NotificationID(high: 7, low: 1)), provider: "APNs")
        #expect(
            steps.first == StoryStep(.received, date: Self.date, text: "at the latest; 350 ms after its publication")
        )
    }

    @Test(
        arguments: [
            ("older than its max_age", 60, 350), ("past its max_age, or past the time", 61, 350),
            ("the time for which retries go on had passed", nil, 350),
        ] as [(String, Int?, Int64)]
    )
    func whichLimitOfAgeHadPassedIsTold(words: String, maxAge: Int?, queued: Int64) {
        let record = record(outcome: .expired, status: nil, reason: "max_age", queued: queued, maxAge: maxAge)
        #expect(DeliveryExplanation.text(record, provider: "APNs", advice: nil).contains(words))
    }

    @Test func theNextOneOfTheSameCollapseIDReplacesIt() {
        func record(_ number: Int64, _ collapseID: String?, _ outcome: String = "accepted") -> LoggedDelivery {
            LoggedDelivery(
                document: BSONDocument { writer in
                    writer.append("_id", uuid: 1, UInt64(number))
                    writer.append("outcome", string: outcome)
                    writer.append("topic", string: "t")
                    writer.append("date", date: number)
                    if let collapseID { writer.append("collapse_id", string: collapseID) }
                }
            )
        }
        let later = [record(9, "a"), record(8, "a"), record(7, "a", "rejected"), record(6, "b")]
        let step = NotificationStory.replacement(of: record(5, "a"), in: later)
        #expect(step?.date == 8)
        #expect(step?.text == "by \(NotificationID(high: 1, low: 8)), of the same collapse id")
        #expect(NotificationStory.replacement(of: record(5, "c"), in: later) == nil)
        #expect(NotificationStory.replacement(of: record(5, nil), in: later + [record(4, nil)]) == nil)
        #expect(NotificationStory.replacement(of: record(5, "a", "rejected"), in: later) == nil)
    }

    @Test func whatWasNeverSentHasNoAttempt() {
        #expect(kinds(record(outcome: .expired, status: nil, reason: "max_age", attempts: 0)).last == .outcome)
        #expect(!kinds(record(outcome: .expired, status: nil, attempts: 0)).contains(.attempt))
        #expect(kinds(record(outcome: .deferred, status: nil, attempts: 0)).last == .putOff)
    }

    @Test func anIDWithoutATimeTellsNoPublication() {
        for id in [NotificationID(high: 7, low: 1), NotificationID(high: 0xF000_0000_0000_8000, low: 1)] {
            #expect(!kinds(record(id: id)).contains(.published))
        }
    }

    /// A record may come from anybody's hands.
    @Test(arguments: [Int64.min, -1, 0, .max]) func anyDateIsTold(date: Int64) {
        let history = [
            AttemptRecord(date: .max, status: 503, reason: nil), AttemptRecord(date: .min, status: 503, reason: nil),
            AttemptRecord(date: date, status: 503, reason: nil),
        ]
        let record = record(attempts: 3, history: history, date: date, queued: date)
        #expect(kinds(record).filter { $0 == .attempt }.count == 3)
    }

    @Test(
        arguments: [
            (0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (12_340, "12.3 s"), (300_000, "5 min"), (12_600_000, "3.5 h"),
            (172_800_000, "2 d"),
        ] as [(Int64, String)]
    )
    func waitsAreToldInOneUnit(milliseconds: Int64, text: String) {
        #expect(WaitText.text(milliseconds: milliseconds) == text)
    }

    @Test func theJSONHasStepsAndRecord() {
        let story = NotificationStory(
            record: record(),
            steps: [StoryStep(.registry, date: 0, text: "enabled \"x\"")],
            meaning: "m",
            next: ["n"]
        )
        #expect(
            story.json().hasPrefix(
                #"{"meaning":"m","steps":[{"kind":"registry","date":"1970-01-01T00:00:00.000Z","text":"enabled \"x\""}],"#
                    + #""next":["n"],"record":{"_id":""#
            )
        )
        #expect(story.json().hasSuffix("}}"))
    }

    @Test func aBatchSumsItsGroups() {
        func group(_ outcome: String, _ reason: String?, _ count: Int, _ first: Int64) -> DeliveryGroup {
            DeliveryGroup(outcome: outcome, reason: reason, count: count, first: first, last: first + 5)
        }
        let story = BatchStory(
            name: "b",
            groups: [
                group("accepted", nil, 90, 20), group("token_invalid", "Unregistered", 7, 10),
                group("token_invalid", "BadDeviceToken", 2, 30), group("deferred", "unreachable", 1, 40),
            ],
            sample: nil,
            next: []
        )
        #expect(story.total == 100)
        #expect(story.counts.map(\.outcome) == ["accepted", "token_invalid", "deferred"])
        #expect(story.counts.map(\.count) == [90, 9, 1])
        #expect(story.failures.map(\.reason) == ["Unregistered", "BadDeviceToken"])
        #expect(story.pending.map(\.count) == [1])
        #expect(story.period?.first == 10)
        #expect(story.period?.last == 45)
    }
}
