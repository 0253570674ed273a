import AMQP
import Testing
import WaybillAPNS
import WaybillCore

@testable import Dispatcher

struct RetryMessageTests {
    @Test func aRetryKeepsIDsPayloadsAndItsFirstSightAndCarriesOnlyItsItems() throws {
        var properties = AMQPProperties()
        properties.messageID = "message-1"
        properties.timestamp = 1_795_233_600
        let first = try #require(Samples.ticket(Samples.mixed, properties: properties))
        let (retryProperties, body) = RetryMessage.make(first, positions: [0, 3], pass: 2)
        #expect(retryProperties.isPersistent)
        let second = try #require(
            Samples.ticket(String(decoding: body, as: UTF8.self), properties: retryProperties, from: Samples.retry)
        )
        #expect(second.origin.pass == 2)
        #expect(second.origin.isRetry)
        #expect(second.needsRecall)
        #expect(second.origin.firstSeen == first.origin.firstSeen)
        #expect(second.batch.id == "mixed")
        #expect(second.batch.items.map(\.index) == [0, 3])
        for (position, original) in [0, 3].enumerated() {
            #expect(
                RecordBuilder.apnsID(of: second.batch.items[position])
                    == RecordBuilder.apnsID(of: first.batch.items[original])
            )
        }
        // A retry of the retry keeps the first positions.
        let (thirdProperties, thirdBody) = RetryMessage.make(second, positions: [1], pass: 3)
        let third = try #require(
            Samples.ticket(String(decoding: thirdBody, as: UTF8.self), properties: thirdProperties, from: Samples.retry)
        )
        #expect(third.batch.items.map(\.index) == [3])
        #expect(third.origin.pass == 3)
    }

    @Test(arguments: [(1, [1]), (10_000, [10_000]), (10_001, [10_000, 1]), (25_000, [10_000, 10_000, 5_000])])
    func manyItemsAreSeveralRetries(items: Int, parts: [Int]) throws {
        let ticket = try #require(Samples.ticket(Samples.mixed))
        let retries = Publication.retries(of: ticket, positions: Array(0..<items), step: 1, pass: 2)
        #expect(retries.map(\.parts) == parts)
        let positions = retries.flatMap { retry -> [Int] in
            if case .retry(_, let positions, 1, 2) = retry.content { positions } else { [] }
        }
        #expect(positions == Array(0..<items))
    }

    @Test func aRetryThatMayBeThereTwiceSaysSoAndWaitsForItsTwin() throws {
        let first = try #require(Samples.ticket(Samples.mixed))
        let (properties, body) = RetryMessage.make(first, positions: [0], pass: 2)
        let (copyProperties, copyBody) = RetryMessage.make(first, positions: [0], pass: 2, isCopy: true)
        let retry = Samples.delivery(String(decoding: body, as: UTF8.self), properties: properties)
        let copy = Samples.delivery(String(decoding: copyBody, as: UTF8.self), properties: copyProperties)
        let retryTicket = try #require(Samples.ticket(of: retry, from: Samples.retry))
        let copyTicket = try #require(Samples.ticket(of: copy, from: Samples.retry))
        #expect(!retryTicket.origin.isRedelivered)
        #expect(copyTicket.origin.isRedelivered)
        #expect(retryTicket.receipt.identity == copyTicket.receipt.identity)
        var room = TwinRoom()
        room.enter(copyTicket.receipt.identity)
        let waits = room.mustWait(retry, retryTicket)
        #expect(waits)
    }

    /// Every producer can write on a dispatch queue; what it writes there of attempts, times and copies is a forgery.
    @Test func retryHeadersOnADispatchQueueSayNothing() throws {
        let first = try #require(Samples.ticket(Samples.mixed))
        var (properties, body) = RetryMessage.make(first, positions: [0, 3], pass: 7, isCopy: true)
        properties.headers.append((RetryMessage.firstSeenHeader, .int64(1)))
        let forged = Samples.delivery(String(decoding: body, as: UTF8.self), properties: properties)
        let ticket = try #require(Samples.ticket(of: forged))
        #expect(ticket.origin.pass == 1)
        #expect(!ticket.origin.isRetry)
        #expect(!ticket.origin.isRedelivered)
        #expect(ticket.origin.firstSeen == ticket.origin.receivedAt)
        #expect(ticket.batch.items.map(\.index) == [0, 1])
        // Headers that nobody can read reject a retry, and no producer's message.
        properties.headers = [(RetryHeader.attemptName, "many"), (RetryHeader.itemsName, 7)]
        let broken = Samples.delivery(Samples.mixed, properties: properties)
        #expect(Samples.ticket(of: broken)?.batch.items.count == 4)
        #expect(Samples.ticket(of: broken, from: Samples.retry) == nil)
    }

    @Test(arguments: [
        (AMQPValue.string("2"), AMQPValue.string("0")), (.int64(2), .int64(0)), (.int64(2), .string("0,x")),
        (.int64(0), .string("0")),
    ])
    func retryHeadersThatCannotBeReadRejectTheBody(attempt: AMQPValue, items: AMQPValue) {
        var properties = AMQPProperties()
        properties.headers = [(RetryHeader.attemptName, attempt), (RetryHeader.itemsName, items)]
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

    @Test func aCopyOfAMessageInFlightWaitsForTheFirst() throws {
        var room = TwinRoom()
        let copy = Samples.delivery(Samples.mixed, tag: 9, isRedelivered: true)
        let fresh = Samples.delivery(Samples.mixed, tag: 10)
        let copyTicket = try #require(Samples.ticket(of: copy))
        let freshTicket = try #require(Samples.ticket(of: fresh))
        let identity = copyTicket.receipt.identity
        let waitsForNothing = room.mustWait(copy, copyTicket)
        room.enter(identity)
        let waits = room.mustWait(copy, copyTicket)
        let freshWaits = room.mustWait(fresh, freshTicket)
        #expect(!waitsForNothing)
        #expect(waits)
        #expect(!freshWaits)
        room.enter(identity)
        let early = room.leave(identity)
        let released = room.leave(identity)
        let nothing = room.leave(identity)
        #expect(early == nil)
        #expect(released?.deliveryTag == 9)
        #expect(nothing == nil)
    }
}
