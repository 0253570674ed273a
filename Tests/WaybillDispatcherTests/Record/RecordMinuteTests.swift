import Testing
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog

@testable import WaybillDispatcher

/// What is reserved before a write must be what the record is counted in: else it would be counted nowhere.
struct RecordMinuteTests {
    private static let start: UInt64 = 1_795_000_000
    private static let given = """
        {"batch_id":"given","notifications":[
          {"device_token":"aa01","message":"one","apns_id":"6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"},
          {"device_token":"aa02","message":"two"}
        ]}
        """

    @Test(
        arguments: [(Samples.mixed, true), (Samples.mixed, false), (given, true), (given, false)],
        [Int64(0), 59_000, 3_600_000, 3_700_000, -120_000]
    )
    func anItemsMinuteIsItsRecords(message: (body: String, isTimed: Bool), after: Int64) throws {
        var properties = AMQPProperties()
        if message.isTimed { properties.timestamp = Self.start }
        let sample = try #require(Samples.message(message.body, properties: properties))
        for position in sample.batch.items.indices {
            for outcome in Outcome.allCases {
                for isIDTaken in [false, true] {
                    let date = Int64(Self.start) * 1000 + after
                    var item = ItemOutcome(message: sample, position: position, outcome: outcome, date: date)
                    item.isIDTaken = isIDTaken
                    let record = RecordBuilder.makeEntry(for: item, lanes: Samples.lanes).record
                    let expected = outcome.isFinal ? StatisticsMinute(record) : nil
                    #expect(RecordBuilder.statisticsMinute(of: item) == expected)
                    #expect(outcome.isFinal || !record.isCountedByDate)
                }
            }
        }
    }
}
