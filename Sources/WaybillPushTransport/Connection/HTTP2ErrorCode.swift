/// The error codes of RFC 9113 §7 that the client sends.
enum HTTP2ErrorCode {
    static let noError: UInt32 = 0
    static let cancel: UInt32 = 8
}
