import HTTP2
import Threads

/// Turns answers into HTTP/2 responses.
///
/// One header block is reused for all of them.
struct AnswerWriter {
    private var headers = HTTP2HeaderBlock()
    private var generator: SeededGenerator
    private let isSandbox: Bool

    init(seed: UInt64, isSandbox: Bool) {
        generator = SeededGenerator(seed: seed)
        self.isSandbox = isSandbox
    }

    /// Submits an answer to the request of a stream.
    ///
    /// The `apns-id` of the request comes back; one that is missing or no UUID is replaced by a made one.
    mutating func write(
        _ answer: SimulatorAnswer,
        to request: RequestInProgress,
        in session: HTTP2Session
    ) throws(HTTP2Error) {
        headers.removeAll()
        if answer.status == 200 {
            headers.append(":status", "200", indexed: true)
        } else {
            headers.append(":status", String(answer.status), indexed: true)
        }
        if let id = request.head[.apnsID], HeaderForms.isCanonicalUUID(id) {
            headers.append("apns-id", id, indexed: false)
        } else {
            headers.append("apns-id", generator.makeUUID(), indexed: false)
        }
        if isSandbox { headers.append("apns-unique-id", generator.makeUUID(), indexed: false) }
        let body = answer == .accepted ? [] : answer.bodyBytes(now: WallClock.milliseconds())
        try session.submitResponse(stream: request.stream, headers, body: body)
    }
}
