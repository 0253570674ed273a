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
        let handle = try EasyHandle(
            url: request.url,
            protocols: "http,https",
            timeLimit: request.timeLimit,
            caFile: request.caFile
        )
        let received = Received(limit: request.byteLimit)
        try configure(handle, for: request)
        let headers = try request.post.map { post throws(TransferError) in try configure(handle, for: post) }
        defer { curl_slist_free_all(headers ?? nil) }
        try EasyHandle.check(
            wb_curl_set_writer(
                handle.pointer,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
                    return received.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
                Unmanaged.passUnretained(received).toOpaque()
            )
        )
        let code = withExtendedLifetime(received) { handle.perform() }
        guard !received.isTooLarge else {
            throw TransferError("the answer is larger than \(request.byteLimit) bytes")
        }
        try EasyHandle.check(code)
        return TransferResponse(status: handle.status, body: received.bytes, contentType: handle.contentType)
    }

    private static func configure(_ handle: EasyHandle, for request: TransferRequest) throws(TransferError) {
        try handle.set(CURLOPT_USERAGENT, "waybill")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        if let credentials = request.credentials {
            // CURLAUTH_BASIC is a macro with a cast.
            try handle.set(CURLOPT_HTTPAUTH, 1)
            try handle.set(CURLOPT_USERNAME, credentials.user)
            try handle.set(CURLOPT_PASSWORD, credentials.password)
        }
    }

    /// - Returns: the header fields, to be freed when the request is over.
    private static func configure(
        _ handle: EasyHandle,
        for post: TransferRequest.Post
    ) throws(TransferError) -> UnsafeMutablePointer<curl_slist>? {
        // libcurl copies so many bytes.
        try handle.set(CURLOPT_POSTFIELDSIZE, post.body.count)
        try handle.set(CURLOPT_COPYPOSTFIELDS, String(decoding: post.body, as: UTF8.self))
        var headers: UnsafeMutablePointer<curl_slist>?
        for line in post.headers { headers = curl_slist_append(headers, line) }
        do throws(TransferError) {
            try EasyHandle.check(wb_curl_set_list(handle.pointer, CURLOPT_HTTPHEADER, headers))
        } catch {
            curl_slist_free_all(headers)
            throw error
        }
        return headers
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
