/// Hears what the peer has sent, frame by frame.
///
/// The methods are called inside ``HTTP2Session/receive(_:)``; ``requestSent(stream:)`` and
/// ``streamClosed(stream:errorCode:)`` also inside ``HTTP2Session/drain(into:limit:)``. They may submit frames; calling
/// receive or drain again from inside them would crash nghttp2. Bytes are lent for the call only.
package protocol HTTP2Delegate: AnyObject {
    /// A block of headers begins: a request, a response, or trailers.
    func headersBegan(stream: Int32)
    /// One header; pseudo-headers such as `:status` come first.
    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
    /// The block is complete.
    func headersEnded(stream: Int32, endStream: Bool)
    /// A piece of the body.
    func data(stream: Int32, bytes: UnsafeRawBufferPointer)
    /// The peer has sent everything it will on this stream.
    func streamEnded(stream: Int32)
    /// The stream is gone; the code is 0 if it ended in order (RFC 9113 §7).
    func streamClosed(stream: Int32, errorCode: UInt32)
    /// A request's last frame is among the bytes to send: from now on the peer may have all of it. Before that it cannot
    /// act on the request, whatever it has seen of it. ``HTTP2Session/requestEnd`` tells where those bytes end.
    func requestSent(stream: Int32)
    /// The peer's SETTINGS have arrived; the session's `remote…` properties hold them.
    func settingsReceived()
    /// The peer ends the connection: it has not processed, and will not, any stream above the last one (RFC 9113 §6.8).
    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer)
    /// The peer has answered a PING.
    func pingAcknowledged(_ opaque: UInt64)
}
