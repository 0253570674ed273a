package import WaybillTLS

/// A lane that a driver is to serve: what may cross to its thread.
package struct LaneSeed: Sendable {
    package var settings: TransportSettings
    package var credentials: TransportCredentials

    package init(settings: TransportSettings, credentials: TransportCredentials) {
        self.settings = settings
        self.credentials = credentials
    }
}

/// What a lane's connections prove their sender with: replaced as a whole, so that a connection never mixes two keys.
package struct TransportCredentials: Sendable {
    /// A bearer token in each request; `nil` where the TLS handshake says who sends.
    package let tokenSource: (any PushTokenSource)?
    package let tlsContext: TLSContext
    /// Until an answer proves the credentials, a connection carries one request at a time.
    package let startsWithOneStream: Bool

    package init(tokenSource: (any PushTokenSource)?, tlsContext: TLSContext, startsWithOneStream: Bool) {
        self.tokenSource = tokenSource
        self.tlsContext = tlsContext
        self.startsWithOneStream = startsWithOneStream
    }
}
