import CWaybillRabbitMQ

@testable import WaybillAMQP

/// Properties in the form of a content header frame (AMQP 0-9-1 §4.2.6), from the flags on.
///
/// The connection's frames are decoded inside rabbitmq-c; these two show the same road to tests, without a broker.
extension AMQPProperties {
    /// The class `basic`.
    private static let basicClass: UInt16 = 60

    /// Reads the form; `nil` if rabbitmq-c refuses it.
    init?(wire bytes: [UInt8]) {
        var pool = amqp_pool_t()
        init_amqp_pool(&pool, 4096)
        defer { empty_amqp_pool(&pool) }
        var decoded: UnsafeMutableRawPointer?
        var bytes = bytes
        let properties: AMQPProperties? = bytes.withUnsafeMutableBytes { bytes in
            let source = amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            let status = amqp_decode_properties(Self.basicClass, &pool, source, &decoded)
            guard status == AMQP_STATUS_OK.rawValue, let decoded else { return nil }
            return AMQPProperties(copying: decoded.load(as: amqp_basic_properties_t.self))
        }
        guard let properties else { return nil }
        self = properties
    }

    /// The form; `nil` if rabbitmq-c cannot write it into one frame.
    var wireForm: [UInt8]? {
        let pool = WirePool()
        var properties = encoded(in: pool)
        var bytes = [UInt8](repeating: 0, count: Int(AMQP_DEFAULT_FRAME_SIZE))
        let count = bytes.withUnsafeMutableBytes { bytes in
            amqp_encode_properties(
                Self.basicClass,
                &properties,
                amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
            )
        }
        return count < 0 ? nil : Array(bytes.prefix(Int(count)))
    }
}
