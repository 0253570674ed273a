extension PushFailure {
    /// A failure as a client tells it.
    package struct Explanation: Hashable {
        /// The kind, as one word of the clients' own.
        package let code: String
        /// What happened, for a person.
        package let text: String
    }

    /// What happened, in the words of a client.
    ///
    /// - Parameters:
    ///   - service: the service's name.
    ///   - token: what its requests prove their sender with: `provider token`.
    /// - Returns: `nil` for a value that may not stand in a header, which every client names in its own way.
    package func explanation(service: String, token: String) -> Explanation? {
        let (code, text): (String, String)
        switch (self, cause) {
        case (_, .invalid): return nil
        case (.unknown, .closed): (code, text) = ("closed", "the client was closed before the answer came")
        case (.unknown, .timeout): (code, text) = ("timeout", "the answer did not come in time")
        case (.unknown, .connectionLost): (code, text) = ("connection", "the connection ended before the answer came")
        case (_, .expired): (code, text) = ("expired", "the expiration passed before it could be sent")
        case (_, .unreachable): (code, text) = ("unreachable", "no connection could take it in time")
        case (_, .credentials): (code, text) = ("credentials", "there was no \(token) to send it with in time")
        case (_, .closed): (code, text) = ("closed", "the client is closed")
        case (_, .cancelled), (_, .parked): (code, text) = ("cancelled", "it was taken back before it left")
        case (_, .timeout): (code, text) = ("timeout", "it could not be sent in time")
        case (_, .goAway): (code, text) = ("connection", "\(service) closed the connection before it looked at it")
        case (_, .refusedStream): (code, text) = ("connection", "\(service) refused the stream")
        case (_, .reset(let errorCode)):
            (code, text) = ("connection", "the stream was reset, HTTP/2 error code \(errorCode)")
        case (_, .connectionLost): (code, text) = ("connection", "the connection ended before it was sent")
        }
        return Explanation(code: code, text: cause.text.map { "\(text): \($0)" } ?? text)
    }
}
