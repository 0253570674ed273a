import AMQP
import DeliveryLog
import Testing
import WaybillCore

@testable import Dispatcher

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
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: isRedelivered))
        if let wasRepeat {
            ticket.remember(
                RecallFindings(
                    own: [0: RecordedDelivery(outcome: .deferred, attempts: 1, date: 5, isRepeat: wasRepeat)]
                )
            )
        }
        let item = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.isRepeat == isRepeat)
        #expect(record.attempts == attempts + (wasRepeat == nil ? 0 : 1))
    }

    /// Two dispatchers may have copies of one message at the same time, and neither copy says so: two of one delayed retry,
    /// or what a producer has published twice.
    @Test(
        arguments: [
            (isRetry: true, attempts: 1, isFirstTry: true, marksTwin: true),
            (isRetry: true, attempts: 0, isFirstTry: true, marksTwin: false),
            (isRetry: true, attempts: 1, isFirstTry: false, marksTwin: true),
            (isRetry: false, attempts: 1, isFirstTry: true, marksTwin: true),
            (isRetry: false, attempts: 0, isFirstTry: true, marksTwin: false),
        ] as [(isRetry: Bool, attempts: Int, isFirstTry: Bool, marksTwin: Bool)]
    )
    func onlyWhatWasSentTellsOfATwin(isRetry: Bool, attempts: Int, isFirstTry: Bool, marksTwin: Bool) throws {
        var properties = AMQPProperties()
        if isRetry { properties.headers = Samples.retryHeaders("0,1,2,3") }
        let source = isRetry ? Samples.retry : Samples.dispatch
        let ticket = try #require(Samples.ticket(Samples.mixed, properties: properties, from: source))
        let item = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let entry = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes, isFirstTry: isFirstTry)
        #expect(entry.marksTwin == marksTwin)
        #expect(entry.mayBeWritten == !isFirstTry)
    }

    @Test func anInvalidItemsRecordSaysWhereItIsAndWhatItGave() throws {
        let ticket = try #require(Samples.ticket(Samples.mixed))
        let records = [(0, Outcome.accepted), (1, .invalid)].map { position, outcome in
            RecordBuilder.makeEntry(
                for: ItemOutcome(ticket: ticket, position: position, outcome: outcome, date: 9, attempts: 0),
                lanes: Samples.lanes
            ).record
        }
        #expect(records.map(\.position) == [nil, 1])
        #expect(records[1].deviceToken.map { Array($0) } == Array("zz".utf8))
    }

    /// Outcomes of a redelivered item that was not sent this time: it may have been the last time.
    @Test(arguments: [(Outcome.expired, true), (.deferred, true), (.invalid, false)])
    func whatWasHandedOutBeforeMayHaveBeenPushed(outcome: Outcome, isRepeat: Bool) throws {
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: true))
        let position = outcome == .invalid ? 1 : 0
        let item = ItemOutcome(ticket: ticket, position: position, outcome: outcome, date: 9, attempts: 0)
        #expect(RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record.isRepeat == isRepeat)
    }

    @Test(arguments: [(2, 3), (30, 31), (31, 32), (32, 32), (5_000, 32)])
    func theHistoryKeepsItsBeginningAndItsEnd(earlier: Int, count: Int) throws {
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: true))
        let history = (0..<earlier).map { AttemptRecord(date: Int64($0), status: 503, reason: nil) }
        ticket.remember(
            RecallFindings(
                own: [0: RecordedDelivery(outcome: .deferred, attempts: earlier, date: 5, history: history)]
            )
        )
        let item = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, date: 9_999, attempts: 1)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.attempts == earlier + 1)
        #expect(record.history.count == count)
        #expect(record.history.first?.date == 0)
        #expect(record.history.last?.date == 9_999)
        #expect(record.history.dropLast().last?.date == Int64(earlier - 1))
    }
}
