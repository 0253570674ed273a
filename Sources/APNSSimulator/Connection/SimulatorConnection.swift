import Glibc
import HTTP2
import TLS
import Threads

/// One client's connection: socket, TLS and HTTP/2, turn by turn.
///
/// A turn reads what has come, lets the requests be decided, and writes all that is ready in few large TLS records. The
/// requests themselves are handled in `SimulatorConnection+Requests.swift`. Lives on the server's thread.
final class SimulatorConnection {
    /// Names the connection in the reactor and among the deadlines; never used twice.
    let id: UInt64
    let socket: Int32
    let context: ServerContext

    private let tls: TLSSession
    /// Exists once the handshake is done.
    private(set) var session: HTTP2Session?
    /// The connection's number in journal and record; 0 before the handshake is done.
    private(set) var number = 0

    /// Whether the connection is over and has to be closed.
    private(set) var isFinished = false
    /// Whether everything is said, and only the client's last bytes are awaited.
    private var isLingering = false
    /// Whether the socket takes no more for the moment.
    private(set) var waitsForRoom = false
    /// Whether a turn ended before everything was read.
    private(set) var hasMoreToRead = false
    /// Set to end the connection as soon as everything is written.
    var closesAfterFlush = false

    private var output: [UInt8] = []
    private var written = 0

    // The requests, see SimulatorConnection+Requests.swift.
    var requests: [Int32: RequestInProgress] = [:]
    var spareRequests: [RequestInProgress] = []
    var currentHead: RequestInProgress?
    var gate: ProviderTokenGate
    var limit: StreamLimit
    var peakStreams = 0
    var lastStream: Int32 = 0
    var lastDecided: Int32 = 0
    var acceptedThisTurn = 0
    var ownResets: Set<Int32> = []
    var ownGoAways = 0
    var hasBrokenProtocol = false

    /// How long a client may take to hang up after the simulator's last word.
    private static let lingerTime = Duration.seconds(1)
    /// How much is read in one turn before other connections get theirs, in reads.
    private static let readsPerTurn = 64
    /// How much is gathered for one write.
    private static let outputSize = 64 * 1024

    init(id: UInt64, socket: Int32, context: ServerContext) throws(TLSError) {
        let configuration = context.configuration
        self.id = id
        self.socket = socket
        self.context = context
        tls = try TLSSession(server: context.tls, socket: socket)
        gate = ProviderTokenGate(verifier: context.verifier, policy: configuration.tokenPolicy)
        limit = StreamLimit(
            initial: configuration.answersConstantly ? configuration.streamLimit : configuration.initialStreamLimit,
            regular: configuration.streamLimit,
            fallsAfterRefusal: configuration.streamLimitFallsAfterRefusal
        )
    }

    /// Reads, decides and writes as far as the socket allows.
    func takeTurn() {
        if isLingering { return linger() }
        if session == nil { shakeHands() }
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

    private func shakeHands() {
        do {
            switch try tls.handshake() {
            case .wantsRead: waitsForRoom = false
            case .wantsWrite: waitsForRoom = true
            case .done:
                waitsForRoom = false
                guard tls.negotiatedProtocol == "h2" else { return failHandshake() }
                number = context.journal.connected()
                var options = HTTP2Session.Options()
                options.maxConcurrentStreams = UInt32(limit.announced)
                session = try HTTP2Session(role: .server, options: options, delegate: self)
            }
        } catch {
            failHandshake()
        }
    }

    private func failHandshake() {
        context.journal.count { $0.failedHandshakes += 1 }
        isFinished = true
    }

    private func read() {
        hasMoreToRead = false
        do {
            for _ in 0..<Self.readsPerTurn {
                switch try tls.read(into: context.readBuffer) {
                case .bytes(let count):
                    try session?.receive(UnsafeRawBufferPointer(rebasing: context.readBuffer[..<count]))
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

    /// Writes what is ready.
    ///
    /// Also called after a delayed decision.
    func flush() {
        guard let session, !isFinished, !isLingering else { return }
        do {
            while true {
                while written < output.count {
                    switch try output[written...].withUnsafeBytes({ bytes throws(TLSError) in try tls.write(bytes) }) {
                    case .bytes(let count): written += count
                    case .wantsRead, .wantsWrite:
                        waitsForRoom = true
                        return
                    case .closed:
                        isFinished = true
                        return
                    }
                }
                output.removeAll(keepingCapacity: true)
                written = 0
                try session.drain(into: &output, limit: Self.outputSize)
                if output.isEmpty { break }
                for notice in SentFrames.notices(in: output[...]) { noteSent(notice) }
            }
            waitsForRoom = false
            if closesAfterFlush || (!session.wantsRead && !session.wantsWrite) {
                beginLingering()
            }
        } catch {
            isFinished = true
        }
    }

    /// Ends the connection from this side.
    ///
    /// The socket stays open until the client has hung up too: closing it over unread requests would send a TCP reset,
    /// which may overtake the last answers.
    private func beginLingering() {
        tls.shutdown()
        shutdown(socket, Int32(SHUT_WR))
        isLingering = true
        let id = ServerContext.Deadline(connection: id, kind: .endOfLingering)
        context.deadlines.schedule(id, at: MonotonicTime.now().advanced(by: Self.lingerTime))
    }

    private func linger() {
        for _ in 0..<Self.readsPerTurn {
            let count = recv(socket, context.readBuffer.baseAddress, context.readBuffer.count, 0)
            if count > 0 { continue }
            isFinished = count == 0 || (errno != EAGAIN && errno != EINTR)
            return
        }
    }

    /// Something is due that was put off.
    func deadlineHasCome(_ kind: ServerContext.Deadline.Kind) {
        switch kind {
        case .decision(let stream): decisionIsDue(stream: stream)
        case .endOfLingering: isFinished = true
        }
    }
}
