import Testing
import WaybillAMQP
import WaybillDeliveryLog
import WaybillMessages
import WaybillOperations

@Suite("What lies in the rejected queue of a batch")
struct RejectedGlanceTests {
    private static func message(_ id: String?, batch: String?) -> RejectedMessage {
        var properties = AMQPProperties()
        properties.messageID = id
        properties.append(.reason, .string("unknown_lane"))
        if let batch { properties.append(.batch, .string(batch)) }
        let delivery = AMQPDelivery(
            deliveryTag: 1,
            isRedelivered: false,
            exchange: "",
            routingKey: "waybill.rejected",
            properties: properties,
            body: []
        )
        return RejectedMessage(delivery, position: 1, names: QueueNames(prefix: "waybill"))
    }

    @Test(
        "a message is found by its batch, and by its message-id",
        arguments: [
            ("bl-3", nil, true), ("bl-4", nil, false), ("m-1", "bl-3", true), ("bl-3", "other", true),
            (nil, "bl-3.2", true), (nil, nil, false), ("BL-3", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func found(id: String?, batch: String?, isFound: Bool) {
        let glance = RejectedGlance([Self.message(id, batch: batch)])
        #expect(glance.messages(of: "bl-3", .all).isEmpty == !isFound)
        // Whose it is nobody knows.
        #expect(glance.messages(of: "bl-3", .clients(["acme"])).isEmpty)
    }
}
