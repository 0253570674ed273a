import HTTPTypes

/// Why a WebSocket is closed: what its close frame says.
struct SocketClose: Error, Hashable, Sendable {
    /// The codes that this server sends: those of RFC 6455, 7.4.1, and of 1013 its registry; from 4400 on, 4000 and the status that
    /// HTTP has for it.
    enum Code: UInt16, CaseIterable, Sendable {
        case normal = 1000
        /// The server ends.
        case goingAway = 1001
        case protocolError = 1002
        /// A binary message.
        case notText = 1003
        /// A text that is not UTF-8.
        case notUnicode = 1007
        case tooLarge = 1009
        /// A fault of the server.
        case fault = 1011
        /// It could be had, or goes on, later: the client reads too slowly, or the server is short of something.
        case tryLater = 1013
        /// A message that is not understood.
        case badMessage = 4400
        /// The access token is none, or has ended.
        case unauthorized = 4401
        /// No message, or no pong, in time.
        case tooLate = 4408
        /// The session has ended.
        case sessionEnded = 4410
        /// Too many streams of the account, or too many frames.
        case tooMany = 4429
    }

    let code: Code
    /// For whoever reads the client's log: within the 123 bytes that a close frame has for it.
    let reason: String

    private static let reasonBytes = 123

    init(_ code: Code, _ reason: String) {
        self.code = code
        var reason = reason
        while reason.utf8.count > Self.reasonBytes { reason.removeLast() }
        self.reason = reason
    }

    static let goingAway = SocketClose(.goingAway, "the server ends; connect again")
    static let slow = SocketClose(.tryLater, "too little of what was sent was read; connect again and resume")
    static let sessionEnded = SocketClose(.sessionEnded, "the session has ended; log in again")
}

extension SocketClose {
    /// What refuses a request over HTTP, told over a socket.
    init(_ problem: Problem) {
        let code: Code =
            switch problem.status.code {
            case 401: .unauthorized
            case 429: .tooMany
            case 503: .tryLater
            default: .fault
            }
        self.init(code, problem.detail)
    }
}
