import Testing
import WaybillAMQP

@Suite(.enabled(if: Broker.isAvailable, "WAYBILL_TEST_BROKER is not set"))
struct ConsumerTests {
    @Test func multipleAcknowledgementsAndTheRedeliveredFlag() throws {
        try Broker.withQueue { connection, queue in
            for number in 1...5 as ClosedRange<UInt8> {
                try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [number])
            }
            let first = try Broker.connect()
            try first.startConsuming(queue: queue, consumerTag: "first")
            let deliveries = try (1...5).map { _ in try first.requireDelivery() }
            #expect(deliveries.map(\.body) == [[1], [2], [3], [4], [5]])
            #expect(deliveries.map(\.deliveryTag) == [1, 2, 3, 4, 5])
            #expect(deliveries.map(\.isRedelivered) == Array(repeating: false, count: 5))
            #expect(Set(deliveries.map(\.routingKey)) == [queue])
            #expect(Set(deliveries.map(\.exchange)) == [""])
            try first.acknowledge(3, multiple: true)
            first.close()

            try connection.startConsuming(queue: queue, consumerTag: "second")
            let again = try [connection.requireDelivery(), connection.requireDelivery()]
            #expect(again.map(\.body).sorted { $0[0] < $1[0] } == [[4], [5]])
            #expect(again.map(\.isRedelivered) == [true, true])
            #expect(try connection.nextEvent(timeout: .milliseconds(200)) == nil)
        }
    }

    @Test func prefetchBoundsWhatIsUnderWay() throws {
        try Broker.withQueue { connection, queue in
            try connection.enableConfirms()
            for number in 1...5 as ClosedRange<UInt8> {
                try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [number])
            }
            try connection.requireConfirmation(upTo: 5)
            try connection.setPrefetch(count: 2)
            try connection.startConsuming(queue: queue, consumerTag: "c")
            let first = try connection.requireDelivery()
            _ = try connection.requireDelivery()
            #expect(try connection.nextEvent(timeout: .milliseconds(300)) == nil)
            try connection.acknowledge(first.deliveryTag, multiple: false)
            #expect(try connection.requireDelivery().body == [3])
        }
    }

    @Test func rejectedMessagesComeBack() throws {
        try Broker.withQueue { connection, queue in
            try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [1])
            try connection.startConsuming(queue: queue, consumerTag: "c")
            try connection.reject(connection.requireDelivery().deliveryTag, requeue: true)
            let again = try connection.requireDelivery()
            #expect(again.isRedelivered)
            #expect(again.properties[header: "x-delivery-count"]?.integer == 1)
        }
    }

    @Test func aDeletedQueueCancelsItsConsumer() throws {
        try Broker.withQueue { connection, queue in
            try connection.startConsuming(queue: queue, consumerTag: "victim")
            let other = try Broker.connect()
            try other.deleteQueue(queue)
            other.close()
            guard case .consumerCancelled(let tag) = try connection.requireEvent() else {
                Issue.record("the consumer was not cancelled")
                return
            }
            #expect(tag == "victim")
            #expect(connection.isChannelOpen)
        }
    }

    @Test func callsWithAnswersKeepDeliveriesThatArriveMeanwhile() throws {
        try Broker.withQueue { connection, queue in
            let publisher = try Broker.connect()
            defer { publisher.close() }
            try publisher.enableConfirms()
            try connection.startConsuming(queue: queue, consumerTag: "c")
            for number in 0..<200 {
                try publisher.publish(routingKey: queue, properties: AMQPProperties(), body: [UInt8(number)])
                if number.isMultiple(of: 20) { try connection.setPrefetch(count: 0) }
            }
            try publisher.requireConfirmation(upTo: 200)
            try connection.cancelConsumer("c")
            // A slow broker may have confirmed what it has not handed out yet.
            let left = Int(try connection.inspectQueue(queue).messages)
            var bodies: [[UInt8]] = []
            while bodies.count < 200 - left { bodies.append(try connection.requireDelivery().body) }
            #expect(bodies == (0..<200 - left).map { [UInt8($0)] })
            #expect(!bodies.isEmpty)
            try connection.acknowledge(UInt64(bodies.count), multiple: true)
            #expect(Int(try connection.inspectQueue(queue).messages) == left)
        }
    }

    @Test func getFetchesOneMessage() throws {
        try Broker.withQueue { connection, queue in
            #expect(try connection.get(queue: queue) == nil)
            try connection.enableConfirms()
            try connection.publish(routingKey: queue, properties: AMQPProperties(type: "t"), body: [9])
            try connection.requireConfirmation(upTo: 1)
            let delivery = try #require(try connection.get(queue: queue))
            #expect(delivery.body == [9])
            #expect(delivery.properties.type == "t")
            try connection.acknowledge(delivery.deliveryTag, multiple: false)
            #expect(try connection.get(queue: queue) == nil)
        }
    }

    @Test func purgeDropsWhatWaits() throws {
        try Broker.withQueue { connection, queue in
            try connection.enableConfirms()
            try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [9])
            try connection.requireConfirmation(upTo: 1)
            try connection.purgeQueue(queue)
            #expect(try connection.get(queue: queue) == nil)
        }
    }
}
