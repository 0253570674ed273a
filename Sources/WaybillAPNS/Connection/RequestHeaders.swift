import HTTP2
import TLS

/// Writes the header block of a request, in a block that is used for every request.
///
/// What differs from request to request is never indexed, so that APNs' small HPACK table keeps what repeats
/// (Apple, "Sending notification requests to APNs"; RFC 7541 §6.2.2).
struct RequestHeaders {
    /// What keeps a request from being written: a value that may not stand in a header.
    enum Refusal: String, Error {
        case deviceToken = "invalid_device_token"
        case topic = "invalid_topic"
        case pushType = "invalid_push_type"
        case collapseID = "invalid_collapse_id"
    }

    private(set) var block = HTTP2HeaderBlock()
    private let authority: [UInt8]
    private var topic = CheckedValue()
    private var pushType = CheckedValue()

    init(authority: String) {
        self.authority = Array(authority.utf8)
    }

    /// Fills the block.
    ///
    /// - Parameters:
    ///   - request: the notification.
    ///   - authorization: the value of `authorization`; `nil` with a certificate.
    /// - Throws: which value may not stand in a header. The caller has checked them all; this is the second lock.
    mutating func write(_ request: APNSRequest, authorization: [UInt8]?) throws(Refusal) {
        guard topic.set(request.topic) else { throw .topic }
        guard pushType.set(request.pushType.rawValue) else { throw .pushType }
        block.removeAll()
        block.append(":method", "POST", indexed: true)
        block.append(":scheme", "https", indexed: true)
        try writePath(request.deviceToken)
        block.append(":authority", authority, indexed: true)
        if let authorization { block.append("authorization", authorization, indexed: false) }
        block.append("apns-topic", topic.bytes, indexed: true)
        block.append("apns-push-type", pushType.bytes, indexed: true)
        writePriority(request.priority)
        writeExpiration(request.expiration)
        block.append("apns-id", count: APNSID.textLength, indexed: false) { request.apnsID.writeText(to: $0) }
        try writeCollapseID(request.collapseID)
    }

    private mutating func writePath(_ token: ArraySlice<UInt8>) throws(Refusal) {
        guard token.allSatisfy({ Hexadecimal.value(of: $0) != nil }), !token.isEmpty else { throw .deviceToken }
        let prefix: StaticString = "/3/device/"
        let prefixSize = prefix.utf8CodeUnitCount
        block.append(":path", count: prefixSize + token.count, indexed: false) { path in
            path.copyMemory(from: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefixSize))
            token.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: path[prefixSize...]).copyMemory(from: $0) }
        }
    }

    private mutating func writePriority(_ priority: Int) {
        switch priority {
        case 10: block.append("apns-priority", "10", indexed: true)
        case 5: block.append("apns-priority", "5", indexed: true)
        case 1: block.append("apns-priority", "1", indexed: true)
        default: block.append("apns-priority", String(priority), indexed: true)
        }
    }

    private mutating func writeExpiration(_ expiration: APNSExpiration) {
        switch expiration {
        case .absent: break
        case .immediate: block.append("apns-expiration", "0", indexed: false)
        case .at(let seconds): block.append("apns-expiration", String(seconds), indexed: false)
        }
    }

    private mutating func writeCollapseID(_ collapseID: APNSCollapseID) throws(Refusal) {
        switch collapseID {
        case .none:
            break
        case .explicit(let bytes):
            guard bytes.count <= 64, bytes.withUnsafeBytes(HeaderValue.isVisibleASCII) else { throw .collapseID }
            block.append("apns-collapse-id", bytes, indexed: false)
        case .digest(let digest):
            block.append("apns-collapse-id", count: 64, indexed: false) { digest.writeHexadecimal(to: $0) }
        }
    }
}

/// A header value that mostly stays the same: checked and turned into bytes when it changes.
private struct CheckedValue {
    private var text = ""
    private(set) var bytes: [UInt8] = []

    /// Whether the value may be sent.
    mutating func set(_ value: String) -> Bool {
        if value == text { return !bytes.isEmpty }
        guard HeaderValue.isVisibleASCII(value) else { return false }
        text = value
        bytes = Array(value.utf8)
        return true
    }
}
