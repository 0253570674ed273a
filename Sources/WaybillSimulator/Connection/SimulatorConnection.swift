import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// One client's connection: socket, TLS and HTTP/2, turn by turn.
///
/// A turn reads what has come, lets the requests be decided, and writes all that is ready in few large TLS records. Its
/// parts, in files of their own: the handshake, the requests, what leaves, GOAWAY, what the connection's rule asks for, and
/// what the journal is told. Lives on the server's thread.
final class SimulatorConnection {
    /// Something to do once everything that was said before has been written.
    enum Afterword {
        case reset(stream: Int32, HTTP2ErrorCode)
        case mute
        case close(byReset: Bool)
    }

    /// Names the connection in the reactor and among the deadlines; never used twice.
    let id: UInt64
    let socket: Int32
    let context: ServerContext
    let tls: TLSSession

    /// Exists once the handshake is done.
    var session: HTTP2Session?
    /// The connection's number in journal and record; 0 before the handshake is done.
    var number = 0
    /// What the connection's rule asks for, and when.
    var script: ConnectionScript

    /// Whether the connection is over and has to be closed.
    private(set) var isFinished = false
    /// Whether everything is said, and only the client's last bytes are awaited.
    var isLingering = false
    /// Whether the socket takes no more for the moment.
    var waitsForRoom = false
    /// Whether a turn ended before everything was read.
    private(set) var hasMoreToRead = false
    /// Whether the client has begun a handshake that is never answered.
    var hasIgnoredHandshake = false
    /// Set to end the connection as soon as everything is written.
    var closesAfterFlush = false

    // What leaves.
    var output: [UInt8] = []
    var written = 0
    /// Frames that nghttp2 knows nothing of, to be sent behind its own.
    var rawOutput: [UInt8] = []
    var afterwords: [Afterword] = []
    /// Whether nothing that is said reaches the client.
    var isMute = false
    var filter: OutgoingFilter?

    /// The client's certificate, which stands in for provider tokens.
    var certificate: ProviderCertificate?

    // The requests.
    var requests: [Int32: RequestInProgress] = [:]
    var spareRequests: [RequestInProgress] = []
    var currentRequest: RequestInProgress?
    var gate: ProviderTokenGate
    var limit: StreamLimit
    var peakStreams = 0
    var lastStream: Int32 = 0
    var lastDecided: Int32 = 0
    /// Requests above this stream are not served: a GOAWAY has said so.
    var lastServed = Int32.max
    /// Whether requests are not even looked at any more, or are entered without an answer.
    var isDeaf = false
    var fallsSilent = false
    var acceptedThisTurn = 0

    // GOAWAY.
    var nextGoAway: PendingGoAway?
    /// Whether the connection stays open until a deadline, whatever HTTP/2 makes of its last GOAWAY.
    var staysOpen = false

    // What the journal is told.
    var received: ReceivedFrames?
    var ownResets: Set<Int32> = []
    var ownGoAways = 0
    var hasBrokenProtocol = false
    /// When the client was heard last; kept only for an idle timeout.
    var lastHeard: MonotonicTime?
    var pingsSent: UInt64 = 0

    /// How much is read in one turn before other connections get theirs, in reads.
    static let readsPerTurn = 64

    init(
        id: UInt64,
        socket: Int32,
        context: ServerContext,
        rule: SimulatorConnectionRule?
    ) throws(TLSError) {
        let configuration = context.configuration
        self.id = id
        self.socket = socket
        self.context = context
        script = ConnectionScript(rule: rule)
        tls = try TLSSession(server: rule?.handshake == .withoutH2 ? context.tlsWithoutH2 : context.tls, socket: socket)
        gate = ProviderTokenGate(verifier: context.verifier, policy: configuration.tokenPolicy)
        limit = Self.streamLimit(configuration, rule, needsToken: true)
        if !configuration.answersConstantly {
            received = ReceivedFrames(keepsHeaderBlocks: configuration.keepsHeaderBlocks)
        }
    }

    /// Reads, decides and writes as far as the socket allows.
    func takeTurn() {
        if isLingering { return linger() }
        if session == nil { takeHandshakeTurn() }
        guard session != nil, !isFinished else { return }
        read()
        noteTurn()
        flush()
    }

    /// Ends the connection without another word.
    func abort() {
        isFinished = true
    }

    /// Frees the socket.
    ///
    /// Nothing may be called afterwards.
    func tearDown() {
        if number > 0 {
            noteTurn()
            let abandoned = requests.values.count { !$0.isComplete }
            if abandoned > 0 { context.journal.count { $0.abandonedRequests += abandoned } }
            context.journal.disconnected(connection: number)
        }
        close(socket)
    }

    private func read() {
        hasMoreToRead = false
        do {
            for _ in 0..<Self.readsPerTurn {
                switch try tls.read(into: context.readBuffer) {
                case .bytes(let count):
                    let bytes = UnsafeRawBufferPointer(rebasing: context.readBuffer[..<count])
                    if received != nil { noteReceived(bytes) }
                    try session?.receive(bytes)
                    if isFinished { return }
                case .wantsRead, .wantsWrite: return
                case .closed:
                    isFinished = true
                    return
                }
            }
            hasMoreToRead = true
        } catch is HTTP2Error {
            noteProtocolError()
            closesAfterFlush = true
        } catch {
            isFinished = true
        }
    }

    func schedule(_ kind: ServerContext.Deadline.Kind, after delay: Duration) {
        let deadline = ServerContext.Deadline(connection: id, kind: kind)
        context.deadlines.schedule(deadline, at: MonotonicTime.now().advanced(by: delay))
    }

    /// Something is due that was put off.
    func deadlineHasCome(_ kind: ServerContext.Deadline.Kind) {
        guard !isFinished else { return }
        switch kind {
        case .decision(let stream): decisionIsDue(stream: stream)
        case .endOfLingering: isFinished = true
        case .secondGoAway: secondGoAwayIsDue()
        case .close: closesAfterFlush = true
        case .idle: idleTimeoutIsDue()
        case .ping: pingIsDue()
        case .windows: if let frames = filter?.release() { rawOutput += frames }
        }
    }
}
