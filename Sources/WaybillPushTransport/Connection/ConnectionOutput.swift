import WaybillHTTP2
import WaybillTLS

/// What an HTTP/2 session has said and TLS has not taken yet.
struct ConnectionOutput {
    /// How much is serialised before it is written: several TLS records at a time.
    static let size = 64 * 1024

    private var bytes: [UInt8] = []
    private var offset = 0
    /// Bytes of the session that TLS has taken.
    private(set) var written: UInt64 = 0

    /// Whether TLS has taken everything.
    var isEmpty: Bool { offset == bytes.count }

    /// Takes the next bytes of the session, in place of those that were written.
    ///
    /// - Precondition: it is empty.
    mutating func refill(from http: HTTP2Session) throws(HTTP2Error) {
        bytes.removeAll(keepingCapacity: true)
        offset = 0
        try http.drain(into: &bytes, limit: Self.size)
    }

    /// Hands TLS what is left.
    ///
    /// - Throws: `TLSError`.
    mutating func write(to tls: TLSSession) throws -> TLSSession.Transfer {
        let transfer = try bytes.withUnsafeBytes { bytes in
            try tls.write(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        }
        if case .bytes(let count) = transfer {
            offset += count
            written += UInt64(count)
        }
        return transfer
    }
}
