import WaybillEncoding
import WaybillTLS

/// Asks an HTTP/1.1 proxy for a tunnel (RFC 9110 §9.3.6, RFC 9112 §3.2.3), without any input or output.
struct ProxyTunnel {
    /// How far the proxy's answer has come.
    enum Progress: Hashable {
        case incomplete
        /// What is sent from now on reaches the endpoint.
        case open
        /// What the proxy said instead.
        case refused(String)
    }

    /// The most bytes of an answer's head that are read.
    static let maximumHead = 16 * 1024

    /// What to send to the proxy.
    let request: [UInt8]
    private var head: [UInt8] = []

    init(to endpoint: Endpoint, through proxy: ProxySettings) {
        let target = "\(endpoint.bracketed):\(endpoint.port)"
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let user = proxy.user {
            let credentials = Base64.encode(Array("\(user):\(proxy.password ?? "")".utf8))
            text += "Proxy-Authorization: Basic \(credentials)\r\n"
        }
        request = Array("\(text)\r\n".utf8)
    }

    /// Takes bytes of the answer.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Progress {
        // The end may be split over two pieces: look a little further back than the new bytes.
        let from = max(0, head.count - 3)
        head.append(contentsOf: bytes)
        guard let end = Self.endOfHead(head, from: from) else {
            return head.count > Self.maximumHead ? .refused("the proxy's answer has no end") : .incomplete
        }
        guard let status = Self.status(head) else { return .refused("the proxy does not speak HTTP") }
        guard (200..<300).contains(status) else {
            // An interim answer is followed by the real one (RFC 9110 §15.2).
            if (100..<200).contains(status) {
                let rest = Array(head[end...])
                head = []
                return rest.withUnsafeBytes { receive($0) }
            }
            return .refused("the proxy answered \(status)\(status == 407 ? ": it asks for other credentials" : "")")
        }
        // TLS begins with us: whatever the proxy says ahead of that is not the endpoint's.
        return end == head.count ? .open : .refused("the proxy sent bytes of its own into the tunnel")
    }

    /// The position behind the empty line.
    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= end.count else { return nil }
        for position in start...max(start, bytes.count - end.count)
        where bytes[position...].prefix(end.count).elementsEqual(end) {
            return position + end.count
        }
        return nil
    }

    /// The status of `HTTP/1.x NNN …`.
    private static func status(_ head: [UInt8]) -> Int? {
        guard head.starts(with: "HTTP/1.".utf8), head.count > 12, head[8] == UInt8(ascii: " ") else { return nil }
        return Int(String(decoding: head[9..<12], as: UTF8.self))
    }
}
