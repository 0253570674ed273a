import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// One client's connection: socket, TLS and HTTP/2, turn by turn.
///
/// A turn reads what has come, lets the requests be decided, and writes all that is ready in few large TLS records. What
/// it knows is kept by responsibility: the requests (``RequestTable``), what leaves (``ConnectionOutput``), what its rule
/// asks for (``ConnectionScript``), what the journal is told (``ConnectionObserver``). Lives on the server's thread.
final class SimulatorConnection {
    /// Something to do once everything that was said before has been written.
    enum DeferredAction {
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

    var output = ConnectionOutput()
    /// What has to wait until everything was written.
    var deferred: [DeferredAction] = []
    var observer: ConnectionObserver

    /// The client's certificate, which stands in for provider tokens.
    var certificate: ProviderCertificate?
    var tokens: ProviderTokenCheck

    var requests = RequestTable()
    /// The request whose headers are arriving.
    var currentRequest: RequestInProgress?
    var limit: StreamLimit
    /// Whether requests are not even looked at any more, or are entered without an answer.
    var isDeaf = false
    var fallsSilent = false

    var nextGoAway: PendingGoAway?
    /// Whether the connection stays open until a deadline, whatever HTTP/2 makes of its last GOAWAY.
    var staysOpen = false
    /// When the client was heard last; kept only for an idle timeout.
    var lastHeard: MonotonicTime?
    var pingsSent: UInt64 = 0
    /// A client of FCM's that does not speak HTTP/2; `nil` for every other.
    var http1: HTTP1Exchange?
    /// Whether a PING of FCM's waits for its answer.
    var awaitsPing = false

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
        if configuration.fcm != nil { output.streamLimitWords = StreamLimitWords.google }
        tokens = ProviderTokenCheck(verifier: context.verifier, policy: configuration.tokenPolicy)
        limit = Self.streamLimit(configuration, rule, needsToken: true)
        let isWatched = !configuration.answersConstantly
        observer = ConnectionObserver(
            journal: context.journal,
            received: isWatched ? ReceivedFrames(keepsHeaderBlocks: configuration.keepsHeaderBlocks) : nil
        )
    }

    /// Reads, decides and writes as far as the socket allows.
    func takeTurn() {
        if isLingering { return linger() }
        if session == nil, http1 == nil { takeHandshakeTurn() }
        guard session != nil || http1 != nil, !isFinished else { return }
        read()
        observer.endTurn()
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
        observer.disconnected(abandoned: requests.incompleteCount)
        close(socket)
    }

    private func read() {
        hasMoreToRead = false
        do {
            for _ in 0..<Self.readsPerTurn {
                switch try tls.read(into: context.readBuffer) {
                case .bytes(let count):
                    let bytes = UnsafeRawBufferPointer(rebasing: context.readBuffer[..<count])
                    if http1 != nil {
                        receiveHTTP1(bytes)
                        continue
                    }
                    if lastHeard != nil, context.configuration.fcm == nil { lastHeard = .now() }
                    if observer.watchesReceivedFrames { observer.receive(bytes) }
                    try session?.receive(bytes)
                    punishPings()
                    if isFinished { return }
                case .wantsRead, .wantsWrite: return
                case .closed:
                    isFinished = true
                    return
                }
            }
            hasMoreToRead = true
        } catch is HTTP2Error {
            observer.protocolError()
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
        case .age: ageIsDue()
        case .ping: pingIsDue()
        case .windows: output.releaseHeldFrames()
        }
    }
}
