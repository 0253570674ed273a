package import WaybillTLS

/// Everything a simulator is told before it starts.
package struct SimulatorConfiguration: Sendable {
    /// The IPv4 or IPv6 address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port; 0 lets the system choose.
    package var port: UInt16 = 0
    /// The server's certificate and key files.
    package var identity: TLSIdentity
    /// Whose signature makes a client certificate good; `nil` asks clients for none.
    ///
    /// A connection with a good one needs no provider token.
    package var clientAuthorities: TLSTrust?
    /// Whether clients without a certificate are turned away.
    package var requiresClientCertificate = false
    /// The versions of TLS that may be agreed on.
    package var tlsVersions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    /// Whether clients may resume their TLS sessions.
    package var resumesSessions = true
    /// Which provider tokens are good.
    package var authentication: SimulatorAuthentication
    /// What a connection may do with its provider tokens.
    package var tokenPolicy = ProviderTokenCheck.Policy()
    /// Topics and device tokens.
    package var validation = ValidationPolicy()
    /// What happens to chosen device tokens.
    package var rules: [SimulatorRule] = []
    /// What happens to chosen connections.
    package var connectionRules: [SimulatorConnectionRule] = []
    /// How many broadcast channels one app can have.
    package var channelLimit = 10_000
    /// What to be in place of APNs; `nil` is APNs.
    package var fcm: FCMSimulation?
    /// Answers 200 to everything as fast as possible: no checks, no rules, no record, the full stream limit at once.
    package var answersConstantly = false
    /// Decides the answer from the path and the body of a complete request where the constant one would be 200.
    ///
    /// Called on the server's thread; for sinks that measure. With it ``connectionWindow`` holds for constant answers too.
    package var constantAnswer: (@Sendable (_ path: ArraySlice<UInt8>, _ payload: [UInt8]) -> SimulatorAnswer)?
    /// The concurrent streams of a connection before its first good provider token.
    package var initialStreamLimit = 1
    /// The concurrent streams after it.
    package var streamLimit = 1000
    /// Whether a refusal brings the stream limit back to 1 until the next 200, as seen in the field.
    package var streamLimitFallsAfterRefusal = false
    /// The bytes that a client may send ahead on all streams of a connection together.
    ///
    /// Seen in the field: 65,535 with a WINDOW_UPDATE of 32,822. Apple documents none.
    package var connectionWindow = 98_357
    /// `SETTINGS_INITIAL_WINDOW_SIZE`, as seen in the field.
    package var initialWindowSize = 65_535
    /// `SETTINGS_MAX_HEADER_LIST_SIZE`, as seen in the field; requests with a larger header list are reset.
    package var maxHeaderListSize = 8000
    /// How long every answer waits.
    package var latency: Duration = .zero
    /// Whether answers carry `apns-unique-id`, as Apple's sandbox does.
    package var isSandbox = false
    /// The NDJSON file to record into.
    package var recordFile: String?
    /// Whether ``SimulatorServer/recordedRequests`` holds every request.
    ///
    /// Memory grows with them.
    package var keepsRequests = true
    /// Whether ``SimulatorServer/headerBlocks`` holds every header block as it stood on the wire.
    ///
    /// Memory grows with them.
    package var keepsHeaderBlocks = false
    /// Makes the random choices (made ids, rules with a probability) repeatable.
    package var seed: UInt64 = 0

    package init(identity: TLSIdentity, authentication: SimulatorAuthentication) {
        self.identity = identity
        self.authentication = authentication
    }

    package init(certificateFile: String, privateKeyFile: String, authentication: SimulatorAuthentication) {
        self.init(
            identity: TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile),
            authentication: authentication
        )
    }

    /// Asks clients for certificates of the authorities in a PEM file.
    package mutating func trustClients(authorityFile: String) {
        clientAuthorities = .file(authorityFile)
    }

    /// Speaks one version of TLS only.
    package mutating func speakOnly(_ version: SimulatorTLSVersion) {
        tlsVersions = version.version...version.version
    }
}

/// A version of TLS, for callers that do not know the TLS module.
package enum SimulatorTLSVersion: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"

    fileprivate var version: TLSVersion { self == .tls12 ? .tls12 : .tls13 }
}
