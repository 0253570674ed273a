import Testing
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog

@testable import WaybillDispatcher

struct RecordBuilderTests {
    /// The mark is about the notification, not about its last pass.
    @Test(
        arguments: [
            (isRedelivered: false, wasRepeat: nil, attempts: 1, isRepeat: false),
            (isRedelivered: true, wasRepeat: nil, attempts: 1, isRepeat: true),
            (isRedelivered: true, wasRepeat: nil, attempts: 0, isRepeat: true),
            (isRedelivered: true, wasRepeat: false, attempts: 1, isRepeat: true),
            (isRedelivered: true, wasRepeat: true, attempts: 0, isRepeat: true),
        ] as [(isRedelivered: Bool, wasRepeat: Bool?, attempts: Int, isRepeat: Bool)]
    )
    func aRepeatIsMarkedAndStaysMarked(isRedelivered: Bool, wasRepeat: Bool?, attempts: Int, isRepeat: Bool) throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: isRedelivered))
        if let wasRepeat {
            message = message.recalled(
                RecallFindings(
                    own: [0: RecordedDelivery(outcome: .deferred, attempts: 1, date: 5, isRepeat: wasRepeat)]
                )
            )
        }
        let item = ItemOutcome(message: message, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.isRepeat == isRepeat)
        #expect(record.attempts == attempts + (wasRepeat == nil ? 0 : 1))
    }

    /// Two dispatchers may have copies of one message at the same time, and neither copy says so: two of one delayed retry,
    /// or what a producer has published twice.
    @Test(
        arguments: [
            (isRetry: true, attempts: 1, isFirstTry: true, wasPushed: true),
            (isRetry: true, attempts: 0, isFirstTry: true, wasPushed: false),
            (isRetry: true, attempts: 1, isFirstTry: false, wasPushed: true),
            (isRetry: false, attempts: 1, isFirstTry: true, wasPushed: true),
            (isRetry: false, attempts: 0, isFirstTry: true, wasPushed: false),
        ] as [(isRetry: Bool, attempts: Int, isFirstTry: Bool, wasPushed: Bool)]
    )
    func onlyWhatWasPushedTellsOfASecondPush(isRetry: Bool, attempts: Int, isFirstTry: Bool, wasPushed: Bool) throws {
        var properties = AMQPProperties()
        if isRetry { properties.headers = Samples.retryHeaders("0,1,2,3") }
        let source = isRetry ? Samples.retry : Samples.dispatch
        let message = try #require(Samples.message(Samples.mixed, properties: properties, from: source))
        let item = ItemOutcome(message: message, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let entry = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes, isFirstTry: isFirstTry)
        #expect(entry.wasPushed == wasPushed)
        #expect(entry.mayBeWritten == !isFirstTry)
    }

    /// A record tells of the waits that are over, and of the one that begins with it if nothing was sent.
    @Test func aRecordSaysHowLongItsLaneHeldItBack() throws {
        var properties = AMQPProperties()
        properties.headers = Samples.retryHeaders("0,1,2,3") + [("x-waybill-waited", "paused/1000/31000/2")]
        let message = try #require(Samples.message(Samples.mixed, properties: properties, from: Samples.retry))
        let paused = LaneWait(.paused, from: 1_000, until: 31_000, times: 2)
        func waited(_ outcome: Outcome, _ next: ItemOutcome.NextStep = .none) -> [LaneWait] {
            var item = ItemOutcome(message: message, position: 0, outcome: outcome, date: 40_000)
            item.next = next
            return RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.waited
        }
        func retry(_ pass: Int, _ wait: LaneWait.Reason?) -> ItemOutcome.NextStep {
            .retryLater(ItemOutcome.Retry(step: 0, pass: PlannedPass(number: pass, due: 45_000), wait: wait))
        }
        #expect(waited(.accepted) == [paused])
        #expect(waited(.deferred, retry(2, nil)) == [paused])
        #expect(
            waited(.deferred, retry(1, .refused)) == [
                paused, LaneWait(.refused, from: 40_000),
            ]
        )
        #expect(
            waited(.deferred, retry(1, .paused)) == [
                LaneWait(.paused, from: 1_000, times: 3)
            ]
        )
    }

    @Test func aDeferredRecordSaysWhichPassItWaitsFor() throws {
        let message = try #require(Samples.message(Samples.mixed))
        var item = ItemOutcome(message: message, position: 0, outcome: .deferred, date: 40_000)
        let next = PlannedPass(number: 3, due: 45_000)
        item.next = .retryLater(ItemOutcome.Retry(step: 0, pass: next))
        #expect(RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.next == next)
        item.next = .none
        #expect(RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.next == nil)
    }

    /// The statuses of the pushes of earlier passes and of this one, 0 for no answer, -1 for a stream that was refused.
    @Test(
        arguments: [
            ([], [200], false), ([], [503], false), ([], [500], false), ([], [0], false), ([], [0, 200], true),
            ([], [-1, 200], false), ([], [0, 0], true), ([], [500, 200], true), ([], [503, 200], false),
            ([500], [200], true), ([502], [503], true), ([504], [0], true), ([503], [200], false), ([0], [], false),
            ([429, 500], [410], true), ([429], [500], false), ([500], [], false), ([0], [200], true),
        ] as [([Int], [Int], Bool)]
    )
    func aPushAfterOneThatMayHaveArrivedIsMarked(earlier: [Int], sent: [Int], isRepeat: Bool) throws {
        var properties = AMQPProperties()
        properties.headers = Samples.retryHeaders("0,1,2,3")
        var message = try #require(Samples.message(Samples.mixed, properties: properties, from: Samples.retry))
        func attempt(_ status: Int) -> AttemptRecord {
            let reason = status == 0 ? "timeout" : status < 0 ? "refused_stream" : nil
            return AttemptRecord(date: 5, status: status > 0 ? status : nil, reason: reason)
        }
        if !earlier.isEmpty {
            let found = RecordedDelivery(
                outcome: .deferred,
                attempts: earlier.count,
                date: 5,
                history: earlier.map(attempt)
            )
            message = message.recalled(RecallFindings(own: [0: found]))
        }
        var item = ItemOutcome(message: message, position: 0, outcome: .deferred, date: 9)
        item.attempts = sent.count
        item.history = sent.dropLast().map(attempt)
        item.tellsOfLastAttempt = !sent.isEmpty
        item.statusCode = sent.last.flatMap { $0 > 0 ? $0 : nil }
        #expect(RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.isRepeat == isRepeat)
    }

    @Test func anInvalidItemsRecordSaysWhereItIsAndWhatItGave() throws {
        let message = try #require(Samples.message(Samples.mixed))
        let records = [(0, Outcome.accepted), (1, .invalid)].map { position, outcome in
            RecordBuilder.makeEntry(
                for: ItemOutcome(message: message, position: position, outcome: outcome, date: 9, attempts: 0),
                lanes: Samples.lanes
            ).record
        }
        #expect(records.map(\.position) == [nil, 1])
        #expect(records[1].deviceToken.map { Array($0) } == Array("zz".utf8))
    }

    /// Outcomes of a redelivered item that was not sent this time: it may have been the last time.
    @Test(arguments: [(Outcome.expired, true), (.deferred, true), (.invalid, false)])
    func whatWasHandedOutBeforeMayHaveBeenPushed(outcome: Outcome, isRepeat: Bool) throws {
        let message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        let position = outcome == .invalid ? 1 : 0
        let item = ItemOutcome(message: message, position: position, outcome: outcome, date: 9, attempts: 0)
        #expect(RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.isRepeat == isRepeat)
    }

    /// The record itself has no place for the provider's own words.
    @Test func anAttemptWithDetailIsInTheHistory() throws {
        let message = try #require(Samples.message(Samples.mixed))
        var item = ItemOutcome(message: message, position: 0, outcome: .rejected, date: 9)
        item.attempts = 1
        item.statusCode = 400
        item.reason = "INVALID_ARGUMENT"
        item.history = [AttemptRecord(date: 9, status: 400, reason: "INVALID_ARGUMENT", detail: "message.data: no")]
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.history == item.history)
        #expect(record.attempts == 1 && !record.isRepeat && record.reason == "INVALID_ARGUMENT")
    }

    @Test(arguments: [(2, 3), (30, 31), (31, 32), (32, 32), (5_000, 32)])
    func theHistoryKeepsItsBeginningAndItsEnd(earlier: Int, count: Int) throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        let history = (0..<earlier).map { AttemptRecord(date: Int64($0), status: 503, reason: nil) }
        message = message.recalled(
            RecallFindings(
                own: [0: RecordedDelivery(outcome: .deferred, attempts: earlier, date: 5, history: history)]
            )
        )
        let item = ItemOutcome(
            message: message,
            position: 0,
            outcome: .accepted,
            date: 9_999,
            attempts: 1,
            tellsOfLastAttempt: true
        )
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.attempts == earlier + 1)
        #expect(record.history.count == count)
        #expect(record.history.first?.date == 0)
        #expect(record.history.last?.date == 9_999)
        #expect(record.history.dropLast().last?.date == Int64(earlier - 1))
    }

    /// What earlier passes sent (statuses; 0 for no answer), what this one sent, its outcome, and the history.
    ///
    /// A pass that sent nothing is no attempt.
    @Test(
        arguments: [
            ([], [200], .accepted, 1, []), ([], [503], .deferred, 1, []), ([], [], .deferred, 0, []),
            ([503], [200], .accepted, 2, [503, 200]), ([503], [], .deferred, 1, [503]),
            ([503, 503], [], .deferred, 2, [503, 503]), ([], [0, 200], .accepted, 2, [0, 200]),
            ([0], [0, 0], .unknown, 3, [0, 0, 0]),
        ] as [([Int], [Int], Outcome, Int, [Int])]
    )
    func aHistoryListsWhatWasSent(
        earlier: [Int],
        sent: [Int],
        outcome: Outcome,
        attempts: Int,
        history: [Int]
    ) throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        func attempt(_ status: Int) -> AttemptRecord {
            AttemptRecord(date: 5, status: status == 0 ? nil : status, reason: status == 0 ? "timeout" : nil)
        }
        if !earlier.isEmpty {
            // The only attempt is told by the record itself.
            let list = earlier.count == 1 ? [] : earlier.map(attempt)
            let last = attempt(earlier[earlier.count - 1])
            message = message.recalled(
                RecallFindings(own: [
                    0: RecordedDelivery(
                        outcome: .deferred,
                        attempts: earlier.count,
                        statusCode: last.status,
                        reason: last.reason,
                        date: 5,
                        history: list
                    )
                ])
            )
        }
        var item = ItemOutcome(message: message, position: 0, outcome: outcome, date: 9)
        item.attempts = sent.count
        item.history = sent.dropLast().map(attempt)
        item.tellsOfLastAttempt = !sent.isEmpty
        item.statusCode = sent.last.flatMap { $0 == 0 ? nil : $0 }
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.attempts == attempts)
        #expect(record.history.map { $0.status ?? 0 } == history)
    }

    /// Attempts used up in this pass, or too late, after one earlier attempt or none.
    @Test(
        arguments: [
            (nil, .attemptsUsedUp, .rejected, 503, "ServiceUnavailable", []),
            (503, .attemptsUsedUp, .rejected, 503, "ServiceUnavailable", [503, 503]),
            (nil, .tooLate(.maxAge), .expired, nil, "max_age", [503]),
            (503, .tooLate(.expiration), .expired, nil, "expiration", [503, 503]),
            (0, .tooLate(.expiration), .unknown, nil, "timeout", [0, 503]),
        ] as [(Int?, Ending.Cause, Outcome, Int?, String, [Int])]
    )
    func theEndKeepsEveryAttempt(
        earlier: Int?,
        cause: Ending.Cause,
        outcome: Outcome,
        status: Int?,
        reason: String,
        history: [Int]
    ) throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        if let earlier {
            message = message.recalled(
                RecallFindings(own: [
                    0: RecordedDelivery(
                        outcome: .deferred,
                        attempts: 1,
                        statusCode: earlier == 0 ? nil : earlier,
                        reason: earlier == 0 ? "timeout" : "ServiceUnavailable",
                        date: 5
                    )
                ])
            )
        }
        var item = ItemOutcome(message: message, position: 0, outcome: .deferred, statusCode: 503, date: 9)
        item.reason = "ServiceUnavailable"
        item.attempts = 1
        item.tellsOfLastAttempt = true
        item.end(cause, after: message.recalledDelivery(at: 0))
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.outcome == outcome)
        #expect(record.statusCode == status)
        #expect(record.reason == reason)
        #expect(record.attempts == (earlier == nil ? 1 : 2))
        #expect(record.history.map { $0.status ?? 0 } == history)
    }

    /// That one push had no answer decides how it ends: it is not cut out of a long history.
    @Test func theOnlyAttemptWithoutAnAnswerStays() throws {
        var message = try #require(Samples.message(Samples.mixed, isRedelivered: true))
        var history = (0..<60).map { AttemptRecord(date: Int64($0), status: 403, reason: nil) }
        history[20] = AttemptRecord(date: 20, status: nil, reason: "timeout")
        message = message.recalled(
            RecallFindings(own: [0: RecordedDelivery(outcome: .deferred, attempts: 60, date: 5, history: history)])
        )
        let item = ItemOutcome(message: message, position: 0, outcome: .deferred, date: 99)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.history.count == RecordBuilder.historyLimit)
        #expect(record.history.filter(\.isUnanswered).map(\.date) == [20])
    }

    @Test func aRecordKeepsHowItWasToBeSent() throws {
        let body = """
            [{"device_token":"aa01","message":"a","max_age":60,"expiration":5000000000,"priority":5},
             {"device_token":"aa02","message":"b"},{"device_token":"aa03","message":"c","expiration":null},
             {"device_token":"aa04","message":"d","expiration":4000000000,"priority":5,"max_age":60},
             {"device_token":"aa05","payload":{"aps":{"content-available":1}}}]
            """
        let message = try #require(Samples.message(body))
        let records = (0..<5).map { position in
            RecordBuilder.makeEntry(
                for: ItemOutcome(message: message, position: position, outcome: .accepted, date: 9),
                lanes: Samples.lanes
            ).record
        }
        let end = message.origin.firstSeen / 1000 + 86_400
        #expect(records.map(\.expiration) == [nil, end, nil, 4_000_000_000, 0])
        #expect(records.map(\.expirationFrom) == [nil, .default, .message, .message, .default])
        #expect(records.map(\.priority) == [nil, .high, .high, .normal, .normal])
        #expect(records.map(\.maxAge) == [nil, nil, nil, 60, nil])
        #expect(records.map(\.kind) == [nil, "alert", "alert", "alert", "background"])
        #expect(records.map(\.isKindDerived) == [false, false, false, false, true])
    }
}
