/// Why a request has no answer, and whether the service may have taken it all the same.
package enum PushFailure: Hashable, Sendable {
    /// The request certainly never reached the service; the cause says what stood in the way.
    case notSent(PushFailureCause)
    /// The request went out and nobody knows what became of it; the cause says how the answer was lost.
    case unknown(PushFailureCause)
}

/// What kept a request from being sent or answered.
///
/// A text, where there is one, is for a person, and never holds a token, a payload or a key.
package enum PushFailureCause: Hashable, Sendable {
    /// No connection could take the request in time; the text is the last connection's failure.
    case unreachable(String?)
    /// There was no token to send it with in time; the text says why.
    case credentials(String?)
    /// The request's own time passed first.
    case expired
    /// Everything that waited in its lane was taken back.
    case withdrawn
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
    case connectionLost(String?)
}
