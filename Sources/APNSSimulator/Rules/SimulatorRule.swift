/// What happens to valid requests whose device token begins with a prefix.
///
/// A request that fails the validation gets its documented reason; rules are asked only after that.
package struct SimulatorRule: Hashable, Sendable {
    /// How the device token begins, lower-case hexadecimal; empty matches every token.
    ///
    /// The longest prefix wins; rules with the same prefix are asked in their order.
    package var tokenPrefix: String
    /// How many requests of each device token the rule takes; `nil` for all.
    ///
    /// Afterwards the next rule of the same prefix is asked, and after the last one the normal answer is given.
    package var times: Int?
    /// How likely the rule is to act on a request that it matches, above 0 and at most 1.
    package var probability: Double
    /// How long the answer, or what stands in its place, waits.
    package var delay: Duration
    /// The stream limit that the connection announces from here on.
    package var maxConcurrentStreams: Int?
    /// The answer; 200 when nothing else is said.
    ///
    /// Not used by faults that leave the request unanswered.
    package var answer: SimulatorAnswer
    /// What goes wrong.
    package var fault: SimulatorFault?

    package init(
        tokenPrefix: String,
        answer: SimulatorAnswer = .accepted,
        fault: SimulatorFault? = nil,
        delay: Duration = .zero,
        maxConcurrentStreams: Int? = nil,
        times: Int? = nil,
        probability: Double = 1
    ) {
        self.tokenPrefix = tokenPrefix.lowercased()
        self.answer = answer
        self.fault = fault
        self.delay = delay
        self.maxConcurrentStreams = maxConcurrentStreams
        self.times = times
        self.probability = probability
    }
}

/// What may go wrong with a request besides a bad answer.
package enum SimulatorFault: Hashable, Sendable {
    /// The stream is reset with this code, unanswered.
    case reset(HTTP2ErrorCode)
    /// The request is never answered.
    case silence
    /// The connection is closed at once without a word: no GOAWAY, no TLS close.
    case close
    /// The connection says GOAWAY.
    case goAway(SimulatorGoAway)

    /// The fault's word in records and statistics.
    package var name: String {
        switch self {
        case .reset(let code): "reset:\(code.name)"
        case .silence: "silence"
        case .close: "close"
        case .goAway: "goaway"
        }
    }
}

/// A GOAWAY frame.
package struct SimulatorGoAway: Hashable, Sendable {
    /// Which requests the frame says were processed.
    package enum LastStream: String, Hashable, Sendable, CaseIterable {
        /// All that have come. They are answered before the connection closes.
        case all
        /// Not the one that matched nor later ones: those are safe to send again. Earlier ones are still answered.
        case none
    }

    /// The frame's error code.
    package var errorCode: HTTP2ErrorCode
    /// The `reason` of the JSON in the debug data; `nil` sends none.
    package var reason: String?
    /// Which requests count as processed.
    package var lastStream: LastStream
    /// Whether the connection closes right behind the frame, so that processed requests stay without their answers.
    package var closes: Bool

    package init(
        errorCode: HTTP2ErrorCode = .noError,
        reason: String? = nil,
        lastStream: LastStream = .all,
        closes: Bool = false
    ) {
        self.errorCode = errorCode
        self.reason = reason
        self.lastStream = lastStream
        self.closes = closes
    }
}

/// An HTTP/2 error code (RFC 9113 §7).
package struct HTTP2ErrorCode: Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let noError = HTTP2ErrorCode(rawValue: 0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 1)
    package static let internalError = HTTP2ErrorCode(rawValue: 2)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    package static let cancel = HTTP2ErrorCode(rawValue: 8)

    /// The names of RFC 9113, in the order of the codes from 0.
    package static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The code with an RFC 9113 name.
    package init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        rawValue = UInt32(index)
    }

    /// The RFC 9113 name, or the number for a code without one.
    package var name: String {
        Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "\(rawValue)"
    }
}
