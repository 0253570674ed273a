import CWaybillCurl

/// A libcurl handle for one transfer, with what holds for all of them: no signal, no proxy of the environment, no `.netrc`,
/// and a certificate that is always verified.
///
/// *Ownership:* freed with its last reference. *Thread:* one at a time.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - url: where to.
    ///   - protocols: what may be spoken, as `http,https`.
    ///   - timeLimit: from the beginning to the end.
    ///   - caFile: PEM file with the authorities; `nil` means the system's.
    /// - Throws: `TransferError` when libcurl does not take a setting.
    init(url: String, protocols: String, timeLimit: Duration, caFile: String?) throws(TransferError) {
        try Self.requireLibrary()
        guard let pointer = curl_easy_init() else { throw TransferError("libcurl cannot be used") }
        self.pointer = pointer
        try set(CURLOPT_URL, url)
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        // Empty: none, whatever the environment says.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Without signals, which would go to any thread; the resolver has threads of its own.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_TIMEOUT_MS, max(1, Int(timeLimit / .milliseconds(1))))
        if let caFile { try set(CURLOPT_CAINFO, caFile) }
    }

    deinit { curl_easy_cleanup(pointer) }

    func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
        try Self.check(wb_curl_set_long(pointer, option, value))
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) throws(TransferError) {
        guard !value.utf8.contains(0) else { throw TransferError("a setting of the request holds a zero byte") }
        try Self.check(wb_curl_set_text(pointer, option, value))
    }

    func perform() -> CURLcode { curl_easy_perform(pointer) }

    /// What the server answered last; 0 without an answer.
    var status: Int {
        var status = 0
        return wb_curl_status(pointer, &status) == CURLE_OK ? status : 0
    }

    /// The media type of what the server answered last, with its parameters; `nil` for none.
    var contentType: String? { wb_curl_content_type(pointer).map { String(cString: $0) } }

    static func check(_ code: CURLcode) throws(TransferError) {
        guard code != CURLE_OK else { return }
        throw TransferError(text(code))
    }

    /// Makes libcurl's own state, once.
    static func requireLibrary() throws(TransferError) {
        guard isReady else { throw TransferError("libcurl cannot be used") }
    }

    static func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }

    /// libcurl's own state, made once; the initialization of a static property is safe on any thread.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
