import Testing
import WaybillAMQP

@Suite(.enabled(if: Broker.isAvailable, "WAYBILL_TEST_BROKER is not set"))
struct PublisherTests {
    @Test func confirmsCarryTheSequenceNumbers() throws {
        try Broker.withQueue { connection, queue in
            #expect(try connection.publish(routingKey: queue, properties: AMQPProperties(), body: []) == 0)
            try connection.enableConfirms()
            for number in 1...100 as ClosedRange<UInt64> {
                #expect(try connection.publish(routingKey: queue, properties: AMQPProperties(), body: []) == number)
            }
            try connection.requireConfirmation(upTo: 100)
            #expect(try connection.inspectQueue(queue).messages == 101)
        }
    }

    @Test func anUnroutableMandatoryMessageReturnsBeforeItsConfirmation() throws {
        let connection = try Broker.connect()
        defer { connection.close() }
        try connection.enableConfirms()
        let nowhere = Broker.randomName()
        try connection.publish(
            routingKey: nowhere,
            properties: AMQPProperties(correlationID: "17"),
            body: Array("lost".utf8)
        )
        guard case .returned(let code, let text, let key, let properties) = try connection.requireEvent() else {
            Issue.record("the message did not come back")
            return
        }
        #expect(code == 312)
        #expect(text == "NO_ROUTE")
        #expect(key == nowhere)
        #expect(properties.correlationID == "17")
        try connection.requireConfirmation(upTo: 1)
    }

    @Test func anUnknownExchangeClosesTheChannel() throws {
        let connection = try Broker.connect()
        defer { connection.close() }
        try connection.publish(
            exchange: Broker.randomName(),
            routingKey: "x",
            properties: AMQPProperties(),
            body: []
        )
        guard case .channelClosed(let error) = try connection.requireEvent() else {
            Issue.record("the channel was not closed")
            return
        }
        #expect(error.code == .notFound)
        let publish = #expect(throws: AMQPError.self) {
            try connection.publish(routingKey: "x", properties: AMQPProperties(), body: [])
        }
        #expect(publish?.code == .channelClosed)
    }

    /// What a producer's message left in the properties is not published; one's own name is, if that is asked for.
    @Test func aUserIsNamedOnlyIfAskedFor() throws {
        try Broker.withQueue { connection, queue in
            var properties = AMQPProperties(userID: "somebody-else")
            try connection.publish(routingKey: queue, properties: properties, body: [])
            properties.userID = "guest"
            properties.namesUser = true
            try connection.publish(routingKey: queue, properties: properties, body: [])
            try connection.startConsuming(queue: queue, consumerTag: "c")
            #expect(try connection.requireDelivery().properties.userID == nil)
            #expect(try connection.requireDelivery().properties.userID == "guest")
        }
    }

    @Test func propertiesAndHeadersOfEveryTypeArriveUnchanged() throws {
        try Broker.withQueue { connection, queue in
            let sent = AMQPProperties(
                contentType: "application/json",
                contentEncoding: "gzip",
                messageID: "m-1",
                correlationID: "c-1",
                type: "t",
                appID: "a",
                expiration: "60000",
                timestamp: 1_763_700_000,
                isPersistent: true,
                headers: [
                    ("null", .null), ("bool", true), ("integer", .int64(.max)), ("negative", -1),
                    ("double", .double(-0.25)),
                    ("string", "naïve"), ("bytes", .bytes([0, 1, 254])), ("timestamp", .timestamp(1_763_700_001)),
                    ("array", .array([1, "two", .array([.null]), .table(["three": 3])])),
                    ("table", .table(["inner": .table(["deep": .bytes([9])]), "list": .array([])])),
                ]
            )
            try connection.publish(routingKey: queue, properties: sent, body: [])
            try connection.startConsuming(queue: queue, consumerTag: "c")
            let received = try connection.requireDelivery().properties
            #expect(received.contentType == sent.contentType)
            #expect(received.contentEncoding == sent.contentEncoding)
            #expect(received.messageID == sent.messageID)
            #expect(received.correlationID == sent.correlationID)
            #expect(received.type == sent.type)
            #expect(received.appID == sent.appID)
            #expect(received.expiration == sent.expiration)
            #expect(received.timestamp == sent.timestamp)
            #expect(received.isPersistent)
            #expect(received.headers.count == sent.headers.count)
            for (name, value) in sent.headers { #expect(received[header: name] == value) }
        }
    }

    @Test(arguments: [0, 1, 131_064, 131_065, 1 << 20])
    func bodiesOfAnySizeArriveUnchanged(_ size: Int) throws {
        try Broker.withQueue { connection, queue in
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try connection.publish(routingKey: queue, properties: AMQPProperties(), body: body)
            try connection.startConsuming(queue: queue, consumerTag: "c")
            #expect(try connection.requireDelivery().body == body)
        }
    }

    @Test func aMessageIsConfirmedBeforeTheCallReturns() throws {
        try Broker.withQueue { connection, queue in
            try connection.enableConfirms()
            for number in 1...3 as ClosedRange<UInt64> {
                try connection.publishConfirmed(
                    to: queue,
                    properties: AMQPProperties(),
                    body: [],
                    patience: .seconds(20)
                )
                #expect(try connection.inspectQueue(queue).messages == number)
            }
        }
    }

    @Test func aMessageThatTheBrokerDoesNotTakeIsAnError() throws {
        let full: [(String, AMQPValue)] = [("x-max-length", 0), ("x-overflow", "reject-publish")]
        try Broker.withQueue(full) { connection, queue in
            try connection.enableConfirms()
            for (queue, text) in [(Broker.randomName(), "returned: NO_ROUTE"), (queue, "refused by the broker")] {
                let error = #expect(throws: AMQPError.self) {
                    try connection.publishConfirmed(
                        to: queue,
                        properties: AMQPProperties(),
                        body: [],
                        patience: .seconds(20)
                    )
                }
                #expect(error?.code == .publicationFailed)
                #expect(error?.text == text)
                #expect(error?.operation == "publish to \(queue)")
            }
        }
    }
}
