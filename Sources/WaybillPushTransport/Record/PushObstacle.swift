package import WaybillThreads

/// What keeps a lane's requests from being sent, as far as its last attempts show.
package struct PushObstacle: Hashable, Sendable {
    /// What stands in the way, by what is to be done about it.
    package enum Kind: Hashable, Sendable {
        /// There is no connection: name, network, proxy or server, as far as anybody knows.
        case network
        /// The server's certificate is not trusted.
        case certificate
        /// There is no token to send with, for a reason that may pass.
        case token
        /// Who sells tokens refuses the key.
        case key
        /// Who sells tokens refuses the time of this machine's clock.
        case clock
    }

    package let kind: Kind
    /// In a line, for a person; never a token or a key.
    package let text: String
    /// When the first attempt began that has not succeeded.
    package let since: MonotonicTime

    package init(_ kind: Kind, _ text: String, since: MonotonicTime) {
        self.kind = kind
        self.text = text
        self.since = since
    }
}
