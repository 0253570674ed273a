/// A header block of the client as it stood on the wire, before HPACK (RFC 7541) is undone.
package struct RecordedHeaderBlock: Hashable, Sendable {
    /// Which connection it came on, counted from 1.
    package let connection: Int
    /// Its HTTP/2 stream.
    package let stream: Int32
    /// The field block of the HEADERS frame with its CONTINUATION frames, without padding and priority.
    package let bytes: [UInt8]
}
