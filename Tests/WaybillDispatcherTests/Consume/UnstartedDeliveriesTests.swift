import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages

@testable import WaybillDispatcher

struct UnstartedDeliveriesTests {
    private static func delivery(
        _ body: String = "a",
        count: Int64? = nil,
        isRedelivered: Bool = false,
        timestamp: UInt64? = 7,
        items: AMQPValue? = nil
    ) -> AMQPDelivery {
        var properties = AMQPProperties(messageID: "m", timestamp: timestamp)
        if let count { properties.headers.append(("x-delivery-count", .int64(count))) }
        if let items { properties.headers.append((MessageHeader.items.rawValue, items)) }
        return Samples.delivery(body, isRedelivered: isRedelivered, properties: properties)
    }

    /// How a message was given back, how it comes again, and whether that is known to be no repeat.
    @Test(
        arguments: [
            (given: delivery(), back: delivery(count: 1, isRedelivered: true), isUnstarted: true),
            // Another dispatcher had it in between.
            (given: delivery(), back: delivery(count: 2, isRedelivered: true), isUnstarted: false),
            // A queue that does not count says nothing.
            (given: delivery(), back: delivery(isRedelivered: true), isUnstarted: false),
            // Somebody had it before.
            (
                given: delivery(count: 1, isRedelivered: true), back: delivery(count: 2, isRedelivered: true),
                isUnstarted: false
            ),
            (given: delivery(isRedelivered: true), back: delivery(count: 1, isRedelivered: true), isUnstarted: false),
            (given: delivery(count: 1), back: delivery(count: 2, isRedelivered: true), isUnstarted: false),
            // Another message.
            (given: delivery("b"), back: delivery(count: 1, isRedelivered: true), isUnstarted: false),
            (given: delivery(timestamp: 8), back: delivery(count: 1, isRedelivered: true), isUnstarted: false),
            (given: delivery(items: "1"), back: delivery(count: 1, isRedelivered: true), isUnstarted: false),
            (given: delivery(items: "1"), back: delivery(count: 1, isRedelivered: true, items: "1"), isUnstarted: true),
            // Published once more: new to the queue.
            (given: delivery(), back: delivery(), isUnstarted: false),
        ] as [(given: AMQPDelivery, back: AMQPDelivery, isUnstarted: Bool)]
    )
    func whatComesBack(given: AMQPDelivery, back: AMQPDelivery, isUnstarted: Bool) {
        var deliveries = UnstartedDeliveries()
        deliveries.remember(given)
        let recognised = deliveries.recognise(back)
        #expect(recognised == isUnstarted)
        // Known once: what has been started since is none any more.
        let again = deliveries.recognise(back)
        #expect(!again)
    }

    @Test func givenBackAgainAndAgain() {
        var deliveries = UnstartedDeliveries()
        deliveries.remember(Self.delivery())
        for count in 1...5 as ClosedRange<Int64> {
            deliveries.remember(Self.delivery(count: count, isRedelivered: true))
            #expect(deliveries.count == 1)
        }
        let recognised = deliveries.recognise(Self.delivery(count: 6, isRedelivered: true))
        #expect(recognised)
        #expect(deliveries.count == 0)
    }

    @Test func equalMessagesCountOneByOne() {
        var deliveries = UnstartedDeliveries()
        for _ in 0..<2 { deliveries.remember(Self.delivery()) }
        var found = 0
        for _ in 0..<3 where deliveries.recognise(Self.delivery(count: 1, isRedelivered: true)) { found += 1 }
        #expect(found == 2)
    }

    @Test func theMemoryIsBounded() {
        var deliveries = UnstartedDeliveries()
        for number in 0...UnstartedDeliveries.limit { deliveries.remember(Self.delivery("\(number)")) }
        #expect(deliveries.count <= UnstartedDeliveries.limit)
        let last = deliveries.recognise(
            Self.delivery("\(UnstartedDeliveries.limit)", count: 1, isRedelivered: true)
        )
        #expect(last)
    }

    /// Not called a repeat, and looked up all the same.
    @Test func theMessageIsNoRepeat() throws {
        let properties = AMQPProperties(timestamp: 7, headers: [("x-delivery-count", 1)])
        let back = Samples.delivery(Samples.mixed, isRedelivered: true, properties: properties)
        for wasUnstarted in [true, false] {
            let intake = Intake(decoder: Samples.decoder)
            guard
                case .accepted(let message) = intake.take(
                    back,
                    from: Samples.dispatch,
                    epoch: 1,
                    wasUnstarted: wasUnstarted
                )
            else {
                Issue.record("no message")
                return
            }
            #expect(message.origin.isRedelivered == !wasUnstarted)
            #expect(message.needsRecall)
        }
    }
}
