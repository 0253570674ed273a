import WaybillCompression
import WaybillCore
import WaybillMessages
import WaybillProviders

@testable import WaybillAMQP
@testable import WaybillDispatcher

extension FuzzTarget {
    /// A dispatch message's body, plain.
    static let dispatchBody = FuzzTarget("dispatch-body", examples: "dispatch-message", dictionary: "json") { bytes in
        for properties in [
            MessageProperties(),
            MessageProperties(messageID: "0192f0c1-2345-7abc-8def-0123456789ab"),
            MessageProperties(messageID: "m\"1", timestampMilliseconds: 1_795_000_000_000),
        ] {
            switch BatchProperties.decoder.decode(bytes, properties: properties) {
            case .failure(let rejection): try check(rejection)
            case .success(let batch): try BatchProperties.check(batch, json: bytes, properties: properties)
            }
        }
    }

    /// A body that its producer calls compressed.
    static let gzipBody = FuzzTarget("gzip-body") { bytes in
        let limit = BatchProperties.limits.maxBodySize
        let inflated = try? Gzip.inflate(bytes, limit: limit)
        try require((inflated?.count ?? 0) <= limit, "more bytes than allowed")
        let properties = MessageProperties(contentEncoding: "gzip")
        switch BatchProperties.decoder.decode(bytes, properties: properties) {
        case .failure(let rejection): try check(rejection)
        case .success(let batch):
            guard let inflated else { throw Violation(description: "a batch of bytes that do not inflate") }
            try BatchProperties.check(batch, json: inflated, properties: properties)
        }
    }

    /// A message's properties as they stand in a content header frame: flags, texts, header table.
    static let brokerProperties = FuzzTarget("broker-properties", dictionary: "amqp") { bytes in
        guard let properties = AMQPProperties(wire: bytes) else { return }
        let body = Array("{\"notifications\":[{\"device_token\":\"aa01\",\"message\":\"one\"}]}".utf8)
        let delivery = AMQPDelivery(
            deliveryTag: 1,
            isRedelivered: false,
            exchange: "",
            routingKey: "waybill.dispatch",
            properties: properties,
            body: body
        )
        for isRetry in [false, true] { try check(delivery, isRetry: isRetry) }
    }

    private static func check(_ delivery: AMQPDelivery, isRetry: Bool) throws {
        let source = MessageSource(queue: isRetry ? "waybill.retry" : "waybill.dispatch", isRetry: isRetry)
        let published: AMQPProperties
        switch Intake(decoder: BatchProperties.decoder).take(delivery, from: source, epoch: 1) {
        case .rejected(let publication):
            guard case .rejectedBody(let rejected) = publication.content else {
                throw Violation(description: "a rejected body is published as something else")
            }
            published = rejected.published
            try require(published.expiration == nil, "a rejected body that expires")
        case .accepted(let message):
            try require(isRetry || !message.origin.isRetry && message.origin.pass == 1, "a forged retry")
            try BrokerPropertyChecks.countings(of: message)
            published = RetryMessage.make(message, positions: [0], pass: message.origin.pass + 1).properties
        }
        try BrokerPropertyChecks.canBePublished(published)
    }

    private static func check(_ rejection: BodyRejection) throws {
        try require(BodyRejection.Reason(rawValue: rejection.reason) != nil, "an unknown word: \(rejection.reason)")
        try require((1...300).contains(rejection.detail.utf8.count), "a detail of \(rejection.detail.utf8.count) bytes")
    }
}
