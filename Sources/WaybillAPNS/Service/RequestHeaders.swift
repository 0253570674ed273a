import WaybillEncoding
package import WaybillHTTP2
package import WaybillPushTransport
import WaybillTLS

/// Writes the header block of a request, in a block that is used for every request.
///
/// The path and the authorization are never indexed, what changes from request to request only for its name's sake
/// (``HeaderNames``), so that APNs' small HPACK table keeps what repeats.
package final class RequestHeaders {
    /// What keeps a request from being written: a value that may not stand in a header.
    package enum Refusal: String, Error {
        case deviceToken = "invalid_device_token"
        case topic = "invalid_topic"
        case pushType = "invalid_push_type"
        case collapseID = "invalid_collapse_id"
        case path = "invalid_path"
        case header = "invalid_header"
    }

    package let block = HTTP2HeaderBlock()
    private let authority: [UInt8]
    private var topic = CheckedValue()
    private var pushType = CheckedValue()

    package init(authority: String) {
        self.authority = Array(authority.utf8)
    }

    /// Fills the block.
    ///
    /// - Parameters:
    ///   - requests: of which one is meant; handed over alone, it would be copied, with every reference in it.
    ///   - position: of the one.
    ///   - authorization: the value of `authorization`; `nil` with a certificate.
    ///   - names: of the connection that the request goes out on.
    /// - Throws: which value may not stand in a header. The caller has checked them all; this is the second lock.
    package func write(
        _ requests: [APNSRequest],
        at position: Int,
        authorization: [UInt8]?,
        names: inout HeaderNames
    ) throws(Refusal) {
        if let exchange = requests[position].exchange { return try write(exchange, authorization: authorization) }
        guard topic.set(requests[position].topic) else { throw .topic }
        guard pushType.set(requests[position].pushType.rawValue) else { throw .pushType }
        block.removeAll()
        block.append(":method", "POST", indexed: true)
        block.append(":scheme", "https", indexed: true)
        try writePath(requests[position].deviceToken)
        block.append(":authority", authority, indexed: true)
        if let authorization { block.append("authorization", authorization, indexed: false) }
        block.append("apns-topic", topic.bytes, indexed: true)
        block.append("apns-push-type", pushType.bytes, indexed: true)
        writePriority(requests[position].priority)
        writeExpiration(requests[position].expiration, &names)
        let apnsID = requests[position].apnsID
        block.append("apns-id", count: APNSID.textLength, indexed: names.isNew(.apnsID)) { apnsID.writeText(to: $0) }
        try writeCollapseID(requests[position].collapseID, &names)
    }

    private func write(_ exchange: APNSExchange, authorization: [UInt8]?) throws(Refusal) {
        guard HeaderValue.isVisibleASCII(exchange.path) else { throw .path }
        block.removeAll()
        block.append(":method", exchange.method.rawValue, indexed: true)
        block.append(":scheme", "https", indexed: true)
        block.append(":path", exchange.path, indexed: false)
        block.append(":authority", authority, indexed: true)
        if let authorization { block.append("authorization", authorization, indexed: false) }
        for (name, value) in exchange.headers {
            guard HeaderValue.isVisibleASCII(value) else { throw .header }
            block.append(name, value, indexed: false)
        }
    }

    private func writePath(_ token: ArraySlice<UInt8>) throws(Refusal) {
        guard !token.isEmpty, token.withUnsafeBytes(Hexadecimal.scan).isHexadecimal else { throw .deviceToken }
        let prefix: StaticString = "/3/device/"
        let prefixSize = prefix.utf8CodeUnitCount
        block.append(":path", count: prefixSize + token.count, indexed: false) { path in
            path.copyMemory(from: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefixSize))
            token.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: path[prefixSize...]).copyMemory(from: $0) }
        }
    }

    private func writePriority(_ priority: Int) {
        switch priority {
        case 10: block.append("apns-priority", "10", indexed: true)
        case 5: block.append("apns-priority", "5", indexed: true)
        case 1: block.append("apns-priority", "1", indexed: true)
        default: block.append("apns-priority", String(priority), indexed: true)
        }
    }

    private func writeExpiration(_ expiration: APNSExpiration, _ names: inout HeaderNames) {
        switch expiration {
        case .absent: break
        case .immediate: block.append("apns-expiration", "0", indexed: names.isNew(.expiration))
        case .at(let seconds): block.append("apns-expiration", String(seconds), indexed: names.isNew(.expiration))
        }
    }

    private func writeCollapseID(
        _ collapseID: APNSCollapseID,
        _ names: inout HeaderNames
    ) throws(Refusal) {
        switch collapseID {
        case .none:
            break
        case .explicit(let bytes):
            guard bytes.count <= 64, bytes.withUnsafeBytes(HeaderValue.isVisibleASCII) else { throw .collapseID }
            block.append("apns-collapse-id", bytes, indexed: names.isNew(.collapseID))
        case .digest(let digest):
            block.append("apns-collapse-id", count: 64, indexed: names.isNew(.collapseID)) {
                digest.writeHexadecimal(to: $0)
            }
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

extension HeaderNames.Name {
    fileprivate static var apnsID: Self { Self(number: 0) }
    fileprivate static var expiration: Self { Self(number: 1) }
    fileprivate static var collapseID: Self { Self(number: 2) }
}
