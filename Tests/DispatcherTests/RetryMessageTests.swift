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
            Samples.ticket(String(decoding: body, as: UTF8.self), properties: retryProperties)
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
            Samples.ticket(String(decoding: thirdBody, as: UTF8.self), properties: thirdProperties)
        )
        #expect(third.batch.items.map(\.index) == [3])
        #expect(third.origin.pass == 3)
    }

    @Test(arguments: [
        (AMQPValue.string("2"), AMQPValue.string("0")), (.int64(2), .int64(0)), (.int64(2), .string("0,x")),
        (.int64(0), .string("0")),
    ])
    func retryHeadersThatCannotBeReadRejectTheBody(attempt: AMQPValue, items: AMQPValue) {
        var properties = AMQPProperties()
        properties.headers = [(RetryHeader.attemptName, attempt), (RetryHeader.itemsName, items)]
        let delivery = Samples.delivery(Samples.mixed, properties: properties)
        guard case .rejected(let publication) = Intake(decoder: Samples.decoder).take(delivery, epoch: 1),
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
        room.enter("a")
        let waits = room.mustWait(copy, identity: "a")
        let freshWaits = room.mustWait(fresh, identity: "a")
        let otherWaits = room.mustWait(copy, identity: "b")
        #expect(waits)
        #expect(!freshWaits)
        #expect(!otherWaits)
        room.enter("a")
        let early = room.leave("a")
        let released = room.leave("a")
        let nothing = room.leave("a")
        #expect(early == nil)
        #expect(released?.deliveryTag == 9)
        #expect(nothing == nil)
    }
}
