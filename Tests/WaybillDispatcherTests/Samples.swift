import WaybillAMQP
import WaybillCore
import WaybillProviders

@testable import WaybillDispatcher

/// Messages made from real bodies, as the consumer makes them.
enum Samples {
    static let lanes = [
        Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels", receipts: .onRequest),
        Lane(name: "chat", environment: .sandbox, bundleID: "com.example.chat"),
    ]

    static let decoder = BatchDecoder(limits: DecodingLimits(), lanes: lanes)

    static func delivery(
        _ body: String,
        tag: UInt64 = 1,
        isRedelivered: Bool = false,
        properties: AMQPProperties = AMQPProperties()
    ) -> AMQPDelivery {
        AMQPDelivery(
            deliveryTag: tag,
            isRedelivered: isRedelivered,
            exchange: "",
            routingKey: "waybill.dispatch",
            properties: properties,
            body: Array(body.utf8)
        )
    }

    static func message(
        _ body: String,
        isRedelivered: Bool = false,
        properties: AMQPProperties = AMQPProperties(),
        from source: MessageSource = dispatch
    ) -> InFlightMessage? {
        message(of: delivery(body, isRedelivered: isRedelivered, properties: properties), from: source)
    }

    static func message(of delivery: AMQPDelivery, from source: MessageSource = dispatch) -> InFlightMessage? {
        guard case .accepted(let message) = take(delivery, from: source) else { return nil }
        return message
    }

    static func take(_ delivery: AMQPDelivery, from source: MessageSource = dispatch) -> Intake.Result {
        Intake(decoder: decoder).take(delivery, from: source, epoch: 1)
    }

    static let dispatch = MessageSource(queue: "waybill.dispatch", isRetry: false)
    static let bulk = MessageSource(queue: "waybill.bulk", isRetry: false, isBulk: true)
    static let retry = MessageSource(queue: "waybill.retry", isRetry: true)

    /// Of a delayed retry of its second pass.
    static func retryHeaders(_ items: AMQPValue) -> [(name: String, value: AMQPValue)] {
        [
            ("x-waybill-attempt", 2), ("x-waybill-items", items),
            ("x-waybill-digest", "00000000000000000000000000000000"),
        ]
    }

    /// Four items: two good ones, one without hexadecimal digits, one that is too late.
    static let mixed = """
        {"batch_id":"mixed","client":"acme","notifications":[
          {"device_token":"aa01","message":"one"},
          {"device_token":"zz","message":"two"},
          {"device_token":"aa03","message":"three","expiration":1000},
          {"device_token":"aa04","payload":{"aps":{"alert":"four"}},"collapse_id":null}
        ]}
        """
}
