import CWaybillRabbitMQ

/// Copies values out of rabbitmq-c's tables, which live until its buffers are released.
enum TableDecoder {
    /// Values nested deeper are read as null: a producer may nest without end, our stack does not.
    static let depthLimit = 32

    static func fields(_ table: amqp_table_t) -> [(name: String, value: AMQPValue)] {
        UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries)).map { entry in
            (String(copying: entry.key), value(entry.value, depth: 1))
        }
    }

    private static func value(_ field: amqp_field_value_t, depth: Int) -> AMQPValue {
        let content = field.value
        switch FieldKind(rawValue: field.kind) {
        case .boolean: return .bool(content.boolean != 0)
        case .int8: return .int64(Int64(content.i8))
        case .uint8: return .int64(Int64(content.u8))
        case .int16: return .int64(Int64(content.i16))
        case .uint16: return .int64(Int64(content.u16))
        case .int32: return .int64(Int64(content.i32))
        case .uint32: return .int64(Int64(content.u32))
        case .int64: return .int64(content.i64)
        case .uint64: return .int64(Int64(clamping: content.u64))
        case .float: return .double(Double(content.f32))
        case .double: return .double(content.f64)
        case .decimal: return .double(decimal(content.decimal))
        case .timestamp: return .timestamp(content.u64)
        case .string: return string(content.bytes)
        case .bytes: return .bytes(bytes(content.bytes))
        case .array:
            guard depth < depthLimit else { return .null }
            let entries = UnsafeBufferPointer(start: content.array.entries, count: Int(content.array.num_entries))
            return .array(entries.map { value($0, depth: depth + 1) })
        case .table:
            guard depth < depthLimit else { return .null }
            let entries = UnsafeBufferPointer(start: content.table.entries, count: Int(content.table.num_entries))
            let pairs = entries.map { (String(copying: $0.key), value($0.value, depth: depth + 1)) }
            return .table(Dictionary(pairs) { first, _ in first })
        case .void, nil: return .null
        }
    }

    private static func string(_ content: amqp_bytes_t) -> AMQPValue {
        let raw = UnsafeRawBufferPointer(start: content.bytes, count: content.len)
        return String(validating: raw, as: UTF8.self).map(AMQPValue.string) ?? .bytes(Array(raw))
    }

    private static func bytes(_ content: amqp_bytes_t) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: content.bytes, count: content.len))
    }

    private static func decimal(_ content: amqp_decimal_t) -> Double {
        var divisor = 1.0
        for _ in 0..<min(content.decimals, 38) { divisor *= 10 }
        return Double(content.value) / divisor
    }
}

/// The type octets of table values, as RabbitMQ uses them (`amqp_field_value_kind_t`).
enum FieldKind: UInt8 {
    case boolean = 0x74  // t
    case int8 = 0x62  // b
    case uint8 = 0x42  // B
    case int16 = 0x73  // s
    case uint16 = 0x75  // u
    case int32 = 0x49  // I
    case uint32 = 0x69  // i
    case int64 = 0x6C  // l
    case uint64 = 0x4C  // L
    case float = 0x66  // f
    case double = 0x64  // d
    case decimal = 0x44  // D
    case string = 0x53  // S
    case array = 0x41  // A
    case timestamp = 0x54  // T
    case table = 0x46  // F
    case void = 0x56  // V
    case bytes = 0x78  // x
}
