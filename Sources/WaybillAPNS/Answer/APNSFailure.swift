/// Why a request has no answer, and whether APNs may have taken it all the same.
package enum APNSFailure: Hashable, Sendable {
    /// The request certainly never reached APNs; the cause says what stood in the way.
    case notSent(APNSFailureCause)
    /// The request went out and nobody knows what became of it; the cause says how the answer was lost.
    case unknown(APNSFailureCause)

    /// What stood in the way, or how the answer was lost.
    package var cause: APNSFailureCause {
        switch self {
        case .notSent(let cause), .unknown(let cause): cause
        }
    }
}

/// What kept a request from being sent or answered.
package struct APNSFailureCause: Hashable, Sendable {
    /// The kinds of causes.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// No connection could take the request in time: name, network, proxy, TLS, or too few streams.
        case unreachable
        /// There was no provider token to send it with in time.
        case credentials
        /// The request's expiration passed first.
        case expired
        /// Its lane was parked: whoever sends took back what had not left.
        case parked
        /// Its sender took it back.
        case cancelled
        /// The client was closed.
        case closed
        /// A value of the request may not stand in a header.
        case invalid
        /// Its own deadline passed.
        case timeout
        /// APNs closed the connection with GOAWAY before it looked at the request.
        case goAway
        /// APNs refused the stream.
        case refusedStream
        /// The stream was reset.
        case reset
        /// The connection ended.
        case connectionLost
    }

    /// What kind of cause it is.
    package let kind: Kind
    /// The kind as one word, with what belongs to it: `unreachable`, `reset_2`, `invalid_topic`.
    ///
    /// Records keep it.
    package let word: String
    /// What happened, for a person, where more is known than the kind; never a device token, a payload or a key.
    ///
    /// With ``Kind/unreachable`` the last connection's failure, for example `127.0.0.1:8443: Connection refused`; with
    /// ``Kind/credentials`` why there is no token.
    package let text: String?

    private init(_ kind: Kind, _ word: String, _ text: String? = nil) {
        self.kind = kind
        self.word = word
        self.text = text
    }

    /// No connection could take the request in time.
    package static func unreachable(_ text: String? = nil) -> Self { Self(.unreachable, "unreachable", text) }
    /// There was no provider token to send it with in time.
    package static func credentials(_ text: String? = nil) -> Self { Self(.credentials, "credentials", text) }
    /// The request's expiration passed first.
    package static let expired = Self(.expired, "expired")
    /// Its lane was parked.
    package static let parked = Self(.parked, "lane parked")
    /// Its sender took it back.
    package static let cancelled = Self(.cancelled, "cancelled")
    /// The client was closed.
    package static let closed = Self(.closed, "closed")
    /// Its own deadline passed.
    package static let timeout = Self(.timeout, "timeout")
    /// GOAWAY came before APNs looked at the request.
    package static let goAway = Self(.goAway, "goaway")
    /// APNs refused the stream.
    package static let refusedStream = Self(.refusedStream, "refused_stream")
    /// The connection ended; the text says how.
    package static func connectionLost(_ text: String? = nil) -> Self { Self(.connectionLost, "connection_lost", text) }
    /// The stream was reset with this error code of RFC 9113 §7.
    package static func reset(_ errorCode: UInt32) -> Self { Self(.reset, "reset_\(errorCode)") }
    /// A value may not stand in a header: `invalid_topic`, `invalid_device_token`.
    static func invalid(_ word: String) -> Self { Self(.invalid, word) }
}

extension APNSFailureCause: CustomStringConvertible {
    /// The word, and what is known beyond it.
    package var description: String { text.map { "\(word): \($0)" } ?? word }
}
