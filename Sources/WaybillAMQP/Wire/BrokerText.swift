import CWaybillRabbitMQ

extension String {
    /// Copies text out of a C buffer that the next library call may reuse; broken UTF-8 is repaired.
    init(copying bytes: amqp_bytes_t) {
        guard bytes.len > 0, let start = bytes.bytes else {
            self = ""
            return
        }
        self.init(decoding: UnsafeRawBufferPointer(start: start, count: bytes.len), as: UTF8.self)
    }

    /// Copies text out of such a buffer; `nil` for what is no UTF-8.
    init?(validating bytes: amqp_bytes_t) {
        self.init(validating: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension timeval {
    /// A wait, at least zero, in C's form.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else {
            self.init()
            return
        }
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
