import CWaybillCurl

/// Asks an HTTP server, over libcurl.
///
/// It goes where the URL says and nowhere else: no redirect is followed, no proxy of the environment is used, no other
/// protocol is spoken, no `.netrc` is read. A server's certificate is always verified.
///
/// *Ownership:* each request has a libcurl handle of its own, freed at its end. *Thread:* any. *Blocking:* up to the request's
/// time limit.
package enum TransferClient {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter request: what to ask.
    /// - Returns: the answer, whatever its status.
    /// - Throws: `TransferError` when there is none, or when its body is larger than allowed.
    package static func send(_ request: TransferRequest) throws(TransferError) -> TransferResponse {
        guard isReady, let handle = curl_easy_init() else { throw TransferError("libcurl cannot be used") }
        defer { curl_easy_cleanup(handle) }
        let received = Received(limit: request.byteLimit)
        try configure(handle, for: request)
        let headers = try request.post.map { post throws(TransferError) in try configure(handle, for: post) }
        defer { curl_slist_free_all(headers ?? nil) }
        try check(
            wb_curl_set_writer(
                handle,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
                    return received.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
                Unmanaged.passUnretained(received).toOpaque()
            )
        )
        let code = withExtendedLifetime(received) { curl_easy_perform(handle) }
        guard !received.isTooLarge else {
            throw TransferError("the answer is larger than \(request.byteLimit) bytes")
        }
        try check(code)
        var status = 0
        try check(wb_curl_status(handle, &status))
        return TransferResponse(status: status, body: received.bytes)
    }

    /// libcurl's own state, made once; the initialization of a static property is safe on any thread.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private static func configure(_ handle: UnsafeMutableRawPointer, for request: TransferRequest) throws(TransferError)
    {
        try set(handle, CURLOPT_URL, request.url)
        try set(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        // Empty: none, whatever the environment says.
        try set(handle, CURLOPT_PROXY, "")
        try set(handle, CURLOPT_USERAGENT, "waybill")
        try set(handle, CURLOPT_FOLLOWLOCATION, 0)
        try set(handle, CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Without signals, which would go to any thread; the resolver has threads of its own.
        try set(handle, CURLOPT_NOSIGNAL, 1)
        try set(handle, CURLOPT_SSL_VERIFYPEER, 1)
        try set(handle, CURLOPT_SSL_VERIFYHOST, 2)
        try set(handle, CURLOPT_TIMEOUT_MS, max(1, Int(request.timeLimit / .milliseconds(1))))
        if let caFile = request.caFile { try set(handle, CURLOPT_CAINFO, caFile) }
        if let credentials = request.credentials {
            // CURLAUTH_BASIC is a macro with a cast.
            try set(handle, CURLOPT_HTTPAUTH, 1)
            try set(handle, CURLOPT_USERNAME, credentials.user)
            try set(handle, CURLOPT_PASSWORD, credentials.password)
        }
    }

    /// - Returns: the header fields, to be freed when the request is over.
    private static func configure(
        _ handle: UnsafeMutableRawPointer,
        for post: TransferRequest.Post
    ) throws(TransferError) -> UnsafeMutablePointer<curl_slist>? {
        // libcurl copies so many bytes.
        try set(handle, CURLOPT_POSTFIELDSIZE, post.body.count)
        try set(handle, CURLOPT_COPYPOSTFIELDS, String(decoding: post.body, as: UTF8.self))
        var headers: UnsafeMutablePointer<curl_slist>?
        for line in post.headers { headers = curl_slist_append(headers, line) }
        do throws(TransferError) {
            try check(wb_curl_set_list(handle, CURLOPT_HTTPHEADER, headers))
        } catch {
            curl_slist_free_all(headers)
            throw error
        }
        return headers
    }

    private static func set(
        _ handle: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ value: Int
    ) throws(TransferError) {
        try check(wb_curl_set_long(handle, option, value))
    }

    /// libcurl copies the text.
    private static func set(
        _ handle: UnsafeMutableRawPointer,
        _ option: CURLoption,
        _ value: String
    ) throws(TransferError) {
        guard !value.utf8.contains(0) else { throw TransferError("a setting of the request holds a zero byte") }
        try check(wb_curl_set_text(handle, option, value))
    }

    private static func check(_ code: CURLcode) throws(TransferError) {
        guard code != CURLE_OK else { return }
        throw TransferError(String(cString: curl_easy_strerror(code)))
    }

    /// What has come of the body.
    private final class Received {
        private let limit: Int
        private(set) var bytes: [UInt8] = []
        private(set) var isTooLarge = false

        init(limit: Int) {
            self.limit = limit
        }

        /// Takes a part; anything but its size makes libcurl stop.
        func take(_ part: UnsafeRawBufferPointer) -> Int {
            guard bytes.count + part.count <= limit else {
                isTooLarge = true
                return 0
            }
            bytes.append(contentsOf: part)
            return part.count
        }
    }
}
