/// What may go wrong with a request besides a bad answer.
package enum SimulatorFault: Hashable, Sendable {
    /// How much of the answer leaves before a stream is reset.
    package enum ResetPoint: String, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case nothing
        /// The status and the headers, without the end of the stream.
        case headers
        /// The whole answer.
        case answer
    }

    /// The stream is reset with this code.
    case reset(HTTP2ErrorCode, after: ResetPoint = .nothing)
    /// The request is never answered.
    case silence
    /// The connection is closed at once without a word: no GOAWAY, no TLS close.
    case close
    /// The connection is closed behind the answer, in order and without GOAWAY.
    case closeAfterAnswer
    /// The connection says GOAWAY.
    ///
    /// Indirect, for every decision carries room for a fault, and nearly none has one.
    indirect case goAway(SimulatorGoAway)
    /// The connection had fallen silent by a ``SimulatorConnectionRule`` before the request came.
    ///
    /// No rule for requests asks for this; it stands in records.
    case mute

    /// The fault's word in records and statistics.
    package var name: String {
        switch self {
        case .reset(let code, .nothing): "reset:\(code.name)"
        case .reset(let code, let point): "reset:\(code.name):\(point.rawValue)"
        case .silence: "silence"
        case .close: "close"
        case .closeAfterAnswer: "close_after_answer"
        case .goAway: "goaway"
        case .mute: "mute"
        }
    }

    /// Whether a request that meets the fault is answered all the same.
    package var leavesRoomForAnswer: Bool {
        switch self {
        case .reset(_, let point): point != .nothing
        case .silence, .close, .mute: false
        case .closeAfterAnswer: true
        case .goAway(let goAway): goAway.answersItsRequest
        }
    }
}
