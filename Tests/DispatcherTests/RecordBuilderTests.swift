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
            (isRedelivered: true, wasRepeat: nil, attempts: 0, isRepeat: false),
            (isRedelivered: true, wasRepeat: false, attempts: 1, isRepeat: true),
            (isRedelivered: true, wasRepeat: true, attempts: 0, isRepeat: true),
        ] as [(isRedelivered: Bool, wasRepeat: Bool?, attempts: Int, isRepeat: Bool)]
    )
    func aRepeatIsMarkedAndStaysMarked(isRedelivered: Bool, wasRepeat: Bool?, attempts: Int, isRepeat: Bool) throws {
        let ticket = try #require(Samples.ticket(Samples.mixed, isRedelivered: isRedelivered))
        if let wasRepeat {
            ticket.remember([0: RecordedDelivery(outcome: .deferred, attempts: 1, date: 5, isRepeat: wasRepeat)])
        }
        let item = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
        #expect(record.isRepeat == isRepeat)
        #expect(record.attempts == attempts + (wasRepeat == nil ? 0 : 1))
    }

    /// Two dispatchers may have copies of one delayed retry at the same time, and neither copy says so.
    @Test(
        arguments: [
            (isRetry: true, attempts: 1, isFirstTry: true, marksTwin: true),
            (isRetry: true, attempts: 0, isFirstTry: true, marksTwin: false),
            (isRetry: true, attempts: 1, isFirstTry: false, marksTwin: false),
            (isRetry: false, attempts: 1, isFirstTry: true, marksTwin: false),
        ] as [(isRetry: Bool, attempts: Int, isFirstTry: Bool, marksTwin: Bool)]
    )
    func onlyARetryThatWasSentTellsOfATwin(isRetry: Bool, attempts: Int, isFirstTry: Bool, marksTwin: Bool) throws {
        var properties = AMQPProperties()
        if isRetry { properties.headers = [("x-waybill-attempt", 2), ("x-waybill-items", "0,1,2,3")] }
        let ticket = try #require(Samples.ticket(Samples.mixed, properties: properties))
        let item = ItemOutcome(ticket: ticket, position: 0, outcome: .accepted, date: 9, attempts: attempts)
        let entry = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes, isFirstTry: isFirstTry)
        #expect(entry.marksTwin == marksTwin)
    }
}
