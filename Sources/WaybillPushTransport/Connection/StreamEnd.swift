/// How a stream ended without an answer.
enum StreamEnd: Hashable {
    /// RST_STREAM, from either side, with the error code of RFC 9113 §7.
    case reset(errorCode: UInt32)
    /// GOAWAY's last stream id is below this stream: the server has not looked at it (RFC 9113 §6.8).
    case aboveGoAway
    /// The deadline passed.
    case timeout
    /// The connection is gone.
    case connectionLost(String)
    /// The driver is being closed.
    case driverClosed

    /// REFUSED_STREAM: the server has not looked at the request (RFC 9113 §8.7).
    static let refusedStream: UInt32 = 7

    /// Whether this stream alone ended, on a connection that goes on: with whatever code, the next attempt may end the
    /// same way at once.
    var isOfStream: Bool {
        if case .reset = self { true } else { false }
    }

    /// What that means for the request: whether the service may have taken it decides whether it may be repeated.
    ///
    /// - Parameter wasSent: the whole request left.
    /// - Returns: the failure to report if the request is not sent again.
    func failure(wasSent: Bool) -> PushFailure {
        switch self {
        case .reset(Self.refusedStream): .notSent(.refusedStream)
        case .aboveGoAway: .notSent(.goAway)
        case .reset(let code): wasSent ? .unknown(.reset(code)) : .notSent(.reset(code))
        case .timeout: wasSent ? .unknown(.timeout) : .notSent(.timeout)
        case .connectionLost(let text): wasSent ? .unknown(.connectionLost(text)) : .notSent(.connectionLost(text))
        case .driverClosed: wasSent ? .unknown(.closed) : .notSent(.closed)
        }
    }
}
