import Testing
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillMessages

@testable import WaybillDispatcher

/// Properties that no producer means.
///
/// What they say about times and attempts is counted with later: it must not overflow.
struct HostilePropertiesTests {
    private static let body = "{\"notifications\":[{\"device_token\":\"aa01\",\"message\":\"one\"}]}"

    @Test(arguments: [Int64.min, -1, 1 << 48, .max])
    func aFirstSightThatIsNoTimeIsAbsent(milliseconds: Int64) throws {
        var properties = AMQPProperties()
        properties.headers = [(MessageHeader.firstSeen.rawValue, .int64(milliseconds))]
        let origin = try #require(Samples.message(Self.body, properties: properties, from: Samples.retry)).origin
        #expect(origin.firstSeen == origin.receivedAt)
    }

    @Test(arguments: [UInt64.max, 1 << 38, 9_223_372_036_854_776, 18_446_744_073_709_551])
    func aTimestampThatIsNoTimeRejectsTheBody(seconds: UInt64) throws {
        var properties = AMQPProperties()
        properties.timestamp = seconds
        guard case .rejected(let publication) = Samples.take(Samples.delivery(Self.body, properties: properties)),
            case .rejectedBody(let rejected) = publication.content
        else {
            Issue.record("it is taken")
            return
        }
        #expect(rejected.reason == "bad_value")
        #expect(rejected.detail.hasPrefix("timestamp: ") && rejected.detail.contains("not milliseconds"))
    }

    /// What was taken once goes on, whatever a header says.
    @Test(arguments: [UInt64.max, 1 << 38])
    func aTimestampThatIsNoTimeIsAbsentFromARetry(seconds: UInt64) throws {
        var properties = AMQPProperties()
        properties.headers =
            RetryMessage.make(
                try #require(Samples.message(Self.body, properties: AMQPProperties())),
                positions: [0],
                pass: 2
            ).properties.headers
        properties.timestamp = seconds
        let message = try #require(Samples.message(Self.body, properties: properties, from: Samples.retry))
        let outcome = ItemOutcome(message: message, position: 0, outcome: .accepted, statusCode: 200, date: 9)
        #expect(RecordBuilder.makeEntry(for: outcome, lanes: Samples.lanes).record.queuedMilliseconds == nil)
        #expect(RetryMessage.make(message, positions: [0], pass: 2).properties.timestamp == nil)
    }

    @Test(arguments: [Int64.max, 1_000_000_001, 0, -1, .min])
    func anAttemptThatNobodyCountedRejectsTheBody(attempt: Int64) {
        var properties = AMQPProperties()
        properties.headers = [(MessageHeader.attempt.rawValue, .int64(attempt)), (MessageHeader.items.rawValue, "0")]
        #expect(Samples.message(Self.body, properties: properties, from: Samples.retry) == nil)
    }

    /// Repaired it would be a name that nobody has given, and perhaps that of another message.
    @Test func aPropertyThatIsNoTextRejectsTheBody() throws {
        var properties = AMQPProperties()
        properties.messageID = String(repeating: "\u{FFFD}", count: 255)
        properties.brokenText = "message-id"
        guard case .rejected(let publication) = Samples.take(Samples.delivery(Self.body, properties: properties)),
            case .rejectedBody(let rejected) = publication.content
        else {
            Issue.record("it is taken")
            return
        }
        #expect(rejected.reason == "not_utf8")
        #expect(rejected.detail == "the property message-id: not UTF-8")
    }
}
