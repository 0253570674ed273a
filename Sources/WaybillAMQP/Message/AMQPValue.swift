/// A value of an AMQP table: a header, a queue's argument, or a client property.
package enum AMQPValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// Every integer type; unsigned values above `Int64.max` are read as `Int64.max`.
    case int64(Int64)
    /// `float`, `double` and, rounded, `decimal`.
    case double(Double)
    case string(String)
    /// A byte array, or a string that is not UTF-8.
    case bytes([UInt8])
    /// Seconds since 1970.
    case timestamp(UInt64)
    case array([AMQPValue])
    case table([String: AMQPValue])
}

extension AMQPValue {
    /// The value as an integer, if it is one.
    package var integer: Int64? { if case .int64(let value) = self { value } else { nil } }
    /// The value as text, if it is text.
    package var text: String? { if case .string(let value) = self { value } else { nil } }
}

extension AMQPValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int64(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
