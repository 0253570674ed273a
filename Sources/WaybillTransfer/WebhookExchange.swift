import CWaybillCurl
import Glibc

/// One POST on its way, and what comes back: the name is resolved for it, and each address that comes of that is asked about when it
/// is about to be connected to, so that it does not help to have a name lead elsewhere a moment later.
///
/// No redirect is followed, and no proxy of the environment used. *Thread:* that of the transfers it belongs to.
final class WebhookExchange {
    private static let kept = 1024

    let handle: EasyHandle
    private let post: WebhookPost
    private let headers: UnsafeMutablePointer<curl_slist>?
    private var received = 0
    private var beginning: [UInt8] = []
    private var isCut = false
    private var hasRefused = false
    private var hasOpened = false

    init(_ post: WebhookPost) throws(TransferError) {
        self.post = post
        var headers: UnsafeMutablePointer<curl_slist>?
        for header in post.headers + [(name: "Expect", value: "")] {
            guard !header.value.utf8.contains(where: { $0 < 0x20 }) else {
                curl_slist_free_all(headers)
                throw TransferError("a header holds a line break")
            }
            headers = curl_slist_append(headers, "\(header.name): \(header.value)")
        }
        self.headers = headers
        do throws(TransferError) {
            handle = try EasyHandle(
                url: post.url,
                protocols: post.allowsPlain ? "http,https" : "https",
                timeLimit: post.timeLimit,
                caFile: post.caFile
            )
        } catch {
            curl_slist_free_all(headers)
            throw error
        }
        try configure()
    }

    deinit { curl_slist_free_all(headers) }

    private func configure() throws(TransferError) {
        try handle.set(CURLOPT_USERAGENT, "waybill")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        if !post.sharesConnections {
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
            try handle.set(CURLOPT_FORBID_REUSE, 1)
        }
        try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_POST, 1)
        // libcurl copies so many bytes.
        try handle.set(CURLOPT_POSTFIELDSIZE, post.body.count)
        try handle.set(CURLOPT_COPYPOSTFIELDS, String(decoding: post.body, as: UTF8.self))
        try EasyHandle.check(wb_curl_set_list(handle.pointer, CURLOPT_HTTPHEADER, headers))
        let context = Unmanaged.passUnretained(self).toOpaque()
        try EasyHandle.check(
            wb_curl_set_opener(
                handle.pointer,
                { context, _, address in
                    guard let context, let address else { return curl_socket_t(-1) }
                    return Unmanaged<WebhookExchange>.fromOpaque(context).takeUnretainedValue().open(address)
                },
                context
            )
        )
        try EasyHandle.check(
            wb_curl_set_writer(
                handle.pointer,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let exchange = Unmanaged<WebhookExchange>.fromOpaque(context).takeUnretainedValue()
                    return exchange.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
                context
            )
        )
    }

    /// What came of it.
    ///
    /// - Parameter code: libcurl's.
    /// - Returns: the answer, or why there is none.
    func result(_ code: CURLcode) -> Result<WebhookAnswer, TransferError> {
        let status = handle.status
        // What is behind the part that is read changes nothing: it is as long as its sender likes.
        guard code == CURLE_OK || isCut && status >= 200 else {
            if hasRefused, !hasOpened {
                return .failure(.refusedAddress)
            }
            let text = EasyHandle.text(code)
            return .failure(code == CURLE_COULDNT_RESOLVE_HOST ? .missingAddress(text) : TransferError(text))
        }
        var seconds: curl_off_t = 0
        let isThere = wb_curl_retry_after(handle.pointer, &seconds) == CURLE_OK && seconds > 0
        return .success(WebhookAnswer(status: status, retryAfter: isThere ? Int(seconds) : nil, beginning: beginning))
    }

    /// A socket for an address that is permitted.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let text = Self.text(of: address), post.permits(text) else {
            hasRefused = true
            return curl_socket_t(-1)
        }
        hasOpened = true
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, kind, address.pointee.protocol)
    }

    /// Takes a part of the answer; anything but its size makes libcurl stop.
    private func take(_ part: UnsafeRawBufferPointer) -> Int {
        received += part.count
        beginning += part.prefix(max(0, Self.kept - beginning.count))
        guard received > post.byteLimit else { return part.count }
        isCut = true
        return 0
    }

    /// The address without port and zone; `nil` for another family.
    private static func text(of address: UnsafeMutablePointer<curl_sockaddr>) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard wb_curl_address_text(address, &buffer, UInt32(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
