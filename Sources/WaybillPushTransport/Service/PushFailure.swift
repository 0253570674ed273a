/// Why a request has no answer, and whether the service may have taken it all the same.
package enum PushFailure: Hashable, Sendable {
    /// The request certainly never reached the service; the cause says what stood in the way.
    case notSent(PushFailureCause)
    /// The request went out and nobody knows what became of it; the cause says how the answer was lost.
    case unknown(PushFailureCause)

    /// What stood in the way, or how the answer was lost.
    package var cause: PushFailureCause {
        switch self {
        case .notSent(let cause), .unknown(let cause): cause
        }
    }
}

/// What kept a request from being sent or answered.
package enum PushFailureCause: Hashable, Sendable {
    /// No connection could take the request in time: name, network, proxy, TLS, or too few streams.
    ///
    /// The text is the last connection's failure, for example `127.0.0.1:8443: Connection refused`, with its kind; without
    /// one it has only waited behind others.
    case unreachable(String? = nil, PushObstacle.Kind = .network)
    /// There was no token to send it with in time; the text says why.
    case credentials(String? = nil)
    /// The request's own time passed first.
    case expired
    /// Its lane was parked: everything that waited there was taken back.
    case parked
    /// Its owner took it back.
    case cancelled
    /// The driver was closed.
    case closed
    /// A value of the request may not stand in a header: the word of ``HeaderRefusal``.
    case invalid(String)
    /// Its deadline passed.
    case timeout
    /// GOAWAY came before the service looked at the request.
    case goAway
    /// The service refused the stream.
    case refusedStream
    /// The stream was reset with this error code of RFC 9113 §7.
    case reset(UInt32)
    /// The connection ended; the text says how.
    case connectionLost(String? = nil)

    /// The cause as one word, with what belongs to it: `unreachable`, `reset_2`, `invalid_topic`.
    ///
    /// Records keep it.
    package var word: String {
        switch self {
        case .unreachable: "unreachable"
        case .credentials: "credentials"
        case .expired: "expired"
        case .parked: "lane parked"
        case .cancelled: "cancelled"
        case .closed: "closed"
        case .invalid(let word): word
        case .timeout: "timeout"
        case .goAway: "goaway"
        case .refusedStream: "refused_stream"
        case .reset(let errorCode): "reset_\(errorCode)"
        case .connectionLost: "connection_lost"
        }
    }

    /// Whether the request was taken back, and nothing kept it from being sent.
    var isWithdrawal: Bool {
        switch self {
        case .parked, .cancelled, .closed: true
        default: false
        }
    }

    /// What it is by what is to be done about it: the network's, where nothing else is known.
    package var kind: PushObstacle.Kind {
        if case .unreachable(_, let kind) = self { kind } else { .network }
    }

    /// What happened, for a person, where more is known than the word says; never a token, a payload or a key.
    package var text: String? {
        switch self {
        case .unreachable(let text, _), .credentials(let text), .connectionLost(let text): text
        default: nil
        }
    }
}

extension PushFailureCause: CustomStringConvertible {
    /// The word, and what is known beyond it.
    package var description: String { text.map { "\(word): \($0)" } ?? word }
}
