import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// What the connections of one server share.
///
/// Lives on the server's thread.
final class ServerContext {
    /// Something that a connection has put off.
    struct Deadline: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            /// What was decided about the request of a stream.
            case decision(stream: Int32)
            /// The end of the patience with a client that does not hang up.
            case endOfLingering
            /// The frame that follows a GOAWAY.
            case secondGoAway
            /// The end that a GOAWAY set.
            case close
            /// The client's silence may have lasted long enough.
            case idle
            /// The longest life of a connection.
            case age
            /// The next PING.
            case ping
            /// The release of the held WINDOW_UPDATE frames.
            case windows
        }

        let connection: UInt64
        let kind: Kind
    }

    let configuration: SimulatorConfiguration
    let tls: TLSContext
    /// For connections whose ALPN is to agree on nothing.
    let tlsWithoutH2: TLSContext
    let rules: SharedRules
    let journal: SimulatorJournal
    let verifier: ProviderTokenVerifier
    let handler: RequestHandler
    var writer: AnswerWriter
    var deadlines = DeadlineQueue<Deadline>()
    /// What one read fills; nothing of it is kept beyond the read.
    let readBuffer: UnsafeMutableRawBufferPointer

    init(
        configuration: SimulatorConfiguration,
        rules: SharedRules,
        channels: SimulatorChannels,
        fcm: FCMService?,
        journal: SimulatorJournal
    ) throws(SimulatorError) {
        self.configuration = configuration
        self.rules = rules
        self.journal = journal
        do {
            tls = try Self.makeTLS(configuration, protocols: configuration.fcm == nil ? ["h2"] : ["h2", "http/1.1"])
            tlsWithoutH2 = try Self.makeTLS(configuration, protocols: [])
        } catch {
            throw SimulatorError("the server certificate, its key or the client authorities: \(error)")
        }
        verifier = ProviderTokenVerifier(authentication: configuration.authentication)
        handler = try RequestHandler(
            configuration: configuration,
            rules: rules,
            channels: channels,
            fcm: fcm,
            journal: journal
        )
        writer = AnswerWriter(
            seed: configuration.seed,
            isSandbox: configuration.isSandbox,
            isFCM: configuration.fcm != nil
        )
        // Last, for a context that cannot be made is not taken apart either.
        readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
    }

    private static func makeTLS(
        _ configuration: SimulatorConfiguration,
        protocols: [String]
    ) throws(TLSError) -> TLSContext {
        try TLSContext.server(
            identity: configuration.identity,
            protocols: protocols,
            clientAuthorities: configuration.clientAuthorities,
            requiresClientCertificate: configuration.requiresClientCertificate,
            versions: configuration.tlsVersions,
            issuesTickets: configuration.resumesSessions
        )
    }

    deinit {
        readBuffer.deallocate()
    }
}
