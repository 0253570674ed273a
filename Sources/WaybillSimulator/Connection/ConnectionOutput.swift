import WaybillHTTP2
import WaybillTLS

/// What leaves a connection: nghttp2's frames, changed where a rule says so, and frames that it knows nothing of.
struct ConnectionOutput {
    enum Progress {
        /// Everything has gone out.
        case written
        /// The socket takes no more for the moment.
        case waitsForRoom
        /// The client is gone.
        case closed
    }

    /// How much is gathered for one write.
    private static let size = 64 * 1024

    /// What is gathered, and how much of it has gone out.
    private(set) var bytes: [UInt8] = []
    private var written = 0
    /// Frames that nghttp2 knows nothing of, to be sent behind its own.
    private var raw: [UInt8] = []
    private var filter: OutgoingFilter?
    /// What is said to a client that opens too many streams; `nil` leaves it to nghttp2.
    var streamLimitWords: [UInt8]?
    /// Whether nothing that is said reaches the client.
    var isMute = false

    var isEmpty: Bool { bytes.isEmpty }

    /// Adds frames of ours.
    mutating func append(raw frames: [UInt8]) {
        raw += frames
    }

    /// Changes the frames that leave from here on.
    mutating func apply(_ filter: OutgoingFilter) {
        self.filter = filter
    }

    /// Lets the frames go that a rule has held back.
    mutating func releaseHeldFrames() {
        if let frames = filter?.release() { raw += frames }
    }

    /// Writes what is there.
    ///
    /// - Throws: what TLS says.
    mutating func write(to tls: TLSSession) throws -> Progress {
        if isMute { written = bytes.count }
        while written < bytes.count {
            switch try bytes[written...].withUnsafeBytes({ try tls.write($0) }) {
            case .bytes(let count): written += count
            case .wantsRead, .wantsWrite: return .waitsForRoom
            case .closed: return .closed
            }
        }
        bytes.removeAll(keepingCapacity: true)
        written = 0
        return .written
    }

    /// Takes the next frames.
    ///
    /// - Parameters:
    ///   - session: what they come from; ours follow when it has none.
    ///   - note: told of resets and GOAWAY frames before any rule changes them.
    /// - Returns: whether a rule has now begun to hold frames back.
    /// - Throws: what HTTP/2 says.
    mutating func take(from session: HTTP2Session, _ note: (SentFrames.Notice) -> Void) throws(HTTP2Error) -> Bool {
        try session.drain(into: &bytes, limit: Self.size)
        guard !bytes.isEmpty else {
            swap(&bytes, &raw)
            return false
        }
        for notice in SentFrames.notices(in: bytes[...]) {
            note(notice)
            if case .goAway(_, isStreamLimit: true) = notice, let streamLimitWords {
                bytes = StreamLimitWords.replace(in: bytes, by: streamLimitWords)
            }
        }
        guard let heldFrames = filter?.holdsFrames, let filtered = filter?.filter(bytes) else { return false }
        bytes = filtered
        return !heldFrames && filter?.holdsFrames == true
    }
}
