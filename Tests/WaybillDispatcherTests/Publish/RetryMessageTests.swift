import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages

@testable import WaybillDispatcher

struct RetryMessageTests {
    @Test func aRetryKeepsIDsPayloadsAndItsFirstSightAndCarriesOnlyItsItems() throws {
        var properties = AMQPProperties()
        properties.messageID = "message-1"
        properties.timestamp = 1_795_233_600
        let first = try #require(Samples.message(Samples.mixed, properties: properties))
        let (retryProperties, body) = RetryMessage.make(first, positions: [0, 3], pass: 2)
        #expect(retryProperties.isPersistent)
        let second = try #require(
            Samples.message(String(decoding: body, as: UTF8.self), properties: retryProperties, from: Samples.retry)
        )
        #expect(second.origin.pass == 2)
        #expect(second.origin.isRetry)
        #expect(second.needsRecall)
        #expect(second.batch.identity == first.batch.identity)
        #expect(second.origin.firstSeen == first.origin.firstSeen)
        #expect(second.batch.id == "mixed")
        #expect(second.batch.items.map(\.index) == [0, 3])
        for (position, original) in [0, 3].enumerated() {
            #expect(
                second.batch.items[position].id == first.batch.items[original].id
            )
        }
        // A retry of the retry keeps the first positions.
        let (thirdProperties, thirdBody) = RetryMessage.make(second, positions: [1], pass: 3)
        let third = try #require(
            Samples.message(
                String(decoding: thirdBody, as: UTF8.self),
                properties: thirdProperties,
                from: Samples.retry
            )
        )
        #expect(third.batch.items.map(\.index) == [3])
        #expect(third.origin.pass == 3)
    }

    /// What a lane held back says so in the end, however often it came round, and whatever else it waited for.
    @Test func aRetryCarriesHowLongItsItemsHaveWaited() throws {
        func next(_ message: InFlightMessage, pass: Int, _ wait: LaneWait?) throws -> InFlightMessage {
            let (properties, body) = RetryMessage.make(message, positions: [0], pass: pass, wait: wait)
            return try #require(
                Samples.message(String(decoding: body, as: UTF8.self), properties: properties, from: Samples.retry)
            )
        }
        let first = try #require(Samples.message(Samples.mixed))
        #expect(first.origin.waited.isEmpty)
        #expect(try next(first, pass: 2, nil).origin.waited.isEmpty)
        let paused = LaneWait(.paused, from: 1_000, until: 31_000)
        let second = try next(first, pass: 1, paused)
        #expect(second.origin.waited == [paused])
        let third = try next(second, pass: 1, LaneWait(.paused, from: 31_100, until: 61_000))
        #expect(third.origin.waited == [LaneWait(.paused, from: 1_000, until: 61_000, times: 2)])
        // Another attempt, after one of its own, waits for nothing new and forgets nothing.
        #expect(try next(third, pass: 2, nil).origin.waited == third.origin.waited)
    }

    @Test(arguments: [.string("nonsense"), .int64(5), .string("napping/1/2/1")] as [AMQPValue])
    func aWaitThatCannotBeReadRejectsNothing(value: AMQPValue) throws {
        let first = try #require(Samples.message(Samples.mixed))
        var (properties, body) = RetryMessage.make(first, positions: [0, 3], pass: 2)
        properties.append(.waited, value)
        let second = Samples.message(String(decoding: body, as: UTF8.self), properties: properties, from: Samples.retry)
        #expect(second?.origin.pass == 2)
        #expect(second?.origin.waited == [])
    }

    @Test(arguments: [(1, [1]), (10_000, [10_000]), (10_001, [10_000, 1]), (25_000, [10_000, 10_000, 5_000])])
    func manyItemsAreSeveralRetries(items: Int, parts: [Int]) throws {
        let message = try #require(Samples.message(Samples.mixed))
        let retries = Publication.retries(of: message, positions: Array(0..<items), step: 1, pass: 2)
        #expect(retries.map(\.positions.count) == parts)
        let positions = retries.flatMap { retry -> [Int] in
            if case .retry(_, 1, 2, nil) = retry.content { retry.positions } else { [] }
        }
        #expect(positions == Array(0..<items))
    }

    @Test func aRetryThatMayBeThereTwiceSaysSo() throws {
        let first = try #require(Samples.message(Samples.mixed))
        let (properties, body) = RetryMessage.make(first, positions: [0], pass: 2)
        let (copyProperties, copyBody) = RetryMessage.make(first, positions: [0], pass: 2, isCopy: true)
        let retry = Samples.delivery(String(decoding: body, as: UTF8.self), properties: properties)
        let copy = Samples.delivery(String(decoding: copyBody, as: UTF8.self), properties: copyProperties)
        let retried = try #require(Samples.message(of: retry, from: Samples.retry))
        let copied = try #require(Samples.message(of: copy, from: Samples.retry))
        #expect(!retried.origin.isRedelivered)
        #expect(copied.origin.isRedelivered)
        #expect(retried.finalizer.part == copied.finalizer.part)
    }

    /// Every producer can write on a dispatch queue; what it writes there of attempts, times and copies is a forgery.
    @Test func retryHeadersOnADispatchQueueSayNothing() throws {
        let first = try #require(Samples.message(Samples.mixed))
        var (properties, body) = RetryMessage.make(first, positions: [0, 3], pass: 7, isCopy: true)
        properties.headers.append((MessageHeader.firstSeen.rawValue, .int64(1)))
        properties.append(.waited, "paused/1/2/1")
        let forged = Samples.delivery(String(decoding: body, as: UTF8.self), properties: properties)
        let message = try #require(Samples.message(of: forged))
        #expect(message.origin.pass == 1)
        #expect(!message.origin.isRetry)
        #expect(!message.origin.isRedelivered)
        #expect(message.origin.firstSeen == message.origin.receivedAt)
        #expect(message.origin.waited.isEmpty)
        #expect(message.batch.items.map(\.index) == [0, 1])
        // Headers that nobody can read reject a retry, and no producer's message.
        properties.headers = [(MessageHeader.attempt.rawValue, "many"), (MessageHeader.items.rawValue, 7)]
        let broken = Samples.delivery(Samples.mixed, properties: properties)
        #expect(Samples.message(of: broken)?.batch.items.count == 4)
        #expect(Samples.message(of: broken, from: Samples.retry) == nil)
    }

    /// Headers in place of the right ones; `nil` takes one away.
    @Test(
        arguments: [
            (MessageHeader.attempt.rawValue, .string("2")), (MessageHeader.attempt.rawValue, .int64(0)),
            (MessageHeader.items.rawValue, .int64(0)), (MessageHeader.items.rawValue, .string("0,x")),
            (MessageHeader.items.rawValue, nil),
            (MessageHeader.digest.rawValue, nil), (MessageHeader.digest.rawValue, .string("0")),
            (MessageHeader.digest.rawValue, .int64(0)),
            (MessageHeader.time.rawValue, .string("0")), (MessageHeader.time.rawValue, .int64(-1)),
            (MessageHeader.time.rawValue, .int64(1 << 48)),
        ] as [(String, AMQPValue?)]
    )
    func retryHeadersThatCannotBeReadRejectTheBody(name: String, value: AMQPValue?) throws {
        let message = try #require(Samples.message(Samples.mixed))
        var properties = RetryMessage.make(message, positions: [0, 1, 2, 3], pass: 2).properties
        #expect(Samples.message(Samples.mixed, properties: properties, from: Samples.retry)?.origin.pass == 2)
        properties.headers.removeAll { $0.name == name }
        if let value { properties.headers.append((name, value)) }
        let delivery = Samples.delivery(Samples.mixed, properties: properties)
        guard
            case .rejected(let publication) = Intake(decoder: Samples.decoder)
                .take(delivery, from: Samples.retry, epoch: 1),
            case .rejectedBody(let body) = publication.content
        else {
            Issue.record("the body was taken")
            return
        }
        #expect(body.reason == BodyRejection.Reason.badRetryHeader.rawValue)
        #expect(body.body == delivery.body)
    }

    /// Old and new dispatchers share the retry queue (`docs/operations/service.md`, "What may change, and how").
    @Test func aHeaderOfANewerVersionIsIgnoredAndNotPassedOn() throws {
        let first = try #require(Samples.message(Samples.mixed))
        var (properties, body) = RetryMessage.make(first, positions: [0, 3], pass: 2)
        properties.headers.append(("x-waybill-newer", "anything"))
        let second = try #require(
            Samples.message(String(decoding: body, as: UTF8.self), properties: properties, from: Samples.retry)
        )
        #expect(second.origin.pass == 2)
        #expect(second.batch.items.map(\.index) == [0, 3])
        let third = RetryMessage.make(second, positions: [0], pass: 3).properties
        #expect(!third.headers.contains { $0.name == "x-waybill-newer" })
    }
}
