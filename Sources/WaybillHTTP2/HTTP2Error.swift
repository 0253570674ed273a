import CWaybillNGHTTP2

/// Something that nghttp2 refused, or a peer that breaks the protocol.
package struct HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// nghttp2's own number, below zero (`nghttp2_error` in `nghttp2.h`).
    package let code: Int32
    /// The call that failed.
    package let operation: String

    /// Whether the session can never be used again: its connection must be closed.
    package var closesConnection: Bool {
        code != NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue && code != NGHTTP2_ERR_INVALID_ARGUMENT.rawValue
            && code != NGHTTP2_ERR_STREAM_CLOSED.rawValue
    }

    /// No stream id is left on the connection, or it is closing: a new connection is needed.
    package var isOutOfStreams: Bool { code == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue }

    package var description: String { "\(operation): \(String(cString: nghttp2_strerror(code)))" }
}
