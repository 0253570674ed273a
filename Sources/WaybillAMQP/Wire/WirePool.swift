import CWaybillRabbitMQ

/// C memory for the strings and tables of one call into rabbitmq-c, recycled before the next one.
///
/// What ``bytes(_:)`` and ``table(_:)`` return is valid until ``recycle()``. Not thread-safe: one per connection.
final class WirePool {
    private var pool = amqp_pool_t()

    init() { init_amqp_pool(&pool, 4096) }

    deinit { empty_amqp_pool(&pool) }

    func recycle() { recycle_amqp_pool(&pool) }

    func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    func table(_ fields: [(String, AMQPValue)]) -> amqp_table_t {
        guard !fields.isEmpty else { return amqp_table_t() }
        let entries = allocate(amqp_table_entry_t.self, count: fields.count)
        for (position, (name, value)) in fields.enumerated() {
            entries[position] = amqp_table_entry_t(key: bytes(name), value: field(value))
        }
        return amqp_table_t(num_entries: Int32(fields.count), entries: entries.baseAddress)
    }

    private func field(_ value: AMQPValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        let kind: FieldKind
        switch value {
        case .null:
            kind = .void
        case .bool(let value):
            kind = .boolean
            field.value.boolean = value ? 1 : 0
        case .int64(let value):
            kind = .int64
            field.value.i64 = value
        case .double(let value):
            kind = .double
            field.value.f64 = value
        case .string(let value):
            kind = .string
            field.value.bytes = bytes(value)
        case .bytes(let value):
            kind = .bytes
            field.value.bytes = value.withUnsafeBytes(copy)
        case .timestamp(let value):
            kind = .timestamp
            field.value.u64 = value
        case .array(let values):
            kind = .array
            let entries = allocate(amqp_field_value_t.self, count: values.count)
            for (position, value) in values.enumerated() { entries[position] = self.field(value) }
            field.value.array = amqp_array_t(num_entries: Int32(values.count), entries: entries.baseAddress)
        case .table(let values):
            kind = .table
            field.value.table = table(values.map { ($0.key, $0.value) })
        }
        field.kind = kind.rawValue
        return field
    }

    private func copy(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard source.count > 0 else { return amqp_bytes_t() }
        let target = allocate(UInt8.self, count: source.count)
        UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
        return amqp_bytes_t(len: source.count, bytes: target.baseAddress)
    }

    private func allocate<T>(_ type: T.Type, count: Int) -> UnsafeMutableBufferPointer<T> {
        guard count > 0 else { return UnsafeMutableBufferPointer(start: nil, count: 0) }
        // Null only when memory has run out, which nothing in the process survives.
        let memory = amqp_pool_alloc(&pool, count * MemoryLayout<T>.stride)!
        return UnsafeMutableBufferPointer(start: memory.bindMemory(to: type, capacity: count), count: count)
    }
}
