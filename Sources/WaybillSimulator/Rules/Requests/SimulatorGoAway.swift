/// A GOAWAY frame, and what follows it.
package struct SimulatorGoAway: Hashable, Sendable {
    /// Which requests the frame says were processed.
    package enum LastStream: String, Hashable, Sendable, CaseIterable {
        /// All that have come. They are answered before the connection closes.
        case all
        /// The one that matched and earlier ones. Later ones are safe to send again.
        case this
        /// Not the one that matched nor later ones: those are safe to send again. Earlier ones are still answered.
        case none
        /// All that could ever come (2³¹−1), which announces the real frame; that one follows after
        /// ``SimulatorGoAway/graceful`` and says ``all``.
        case graceful
    }

    /// A second GOAWAY behind the first.
    package struct Second: Hashable, Sendable {
        /// How long after the first.
        package var after: Duration
        /// ``LastStream/all`` or ``LastStream/this``; never higher than the first frame said.
        package var lastStream: LastStream
        package var errorCode: HTTP2ErrorCode
        package var reason: String?

        package init(
            after: Duration = .zero,
            lastStream: LastStream = .all,
            errorCode: HTTP2ErrorCode = .noError,
            reason: String? = nil
        ) {
            self.after = after
            self.lastStream = lastStream
            self.errorCode = errorCode
            self.reason = reason
        }
    }

    /// What stands in the frame's debug data.
    package enum DebugData: Hashable, Sendable {
        /// Apple's JSON with the reason; nothing where there is no reason.
        case reason
        /// This text, which need not be JSON.
        case text(String)
        /// Apple's JSON with the reason, padded to this many bytes.
        case padded(to: Int)
    }

    /// The most debug data that fits into one frame of 16,384 bytes.
    package static let maximumDebugData = 16_376

    /// The frame's error code.
    package var errorCode: HTTP2ErrorCode
    /// The `reason` of the JSON in the debug data; `nil` sends none.
    package var reason: String?
    /// What else the debug data may be.
    package var debugData = DebugData.reason
    /// Which requests count as processed.
    package var lastStream: LastStream
    /// Whether the connection closes right behind the frame, so that processed requests stay without their answers.
    package var closes: Bool
    /// How long the connection then stays open, neither less when all is answered nor more when it is not.
    ///
    /// `nil` closes it with the last answer.
    package var closesAfter: Duration?
    /// How long a graceful announcement stands before the real frame.
    package var graceful = Duration.milliseconds(100)
    /// Another frame behind this one.
    package var second: Second?

    package init(
        errorCode: HTTP2ErrorCode = .noError,
        reason: String? = nil,
        lastStream: LastStream = .all,
        closes: Bool = false,
        closesAfter: Duration? = nil,
        second: Second? = nil
    ) {
        self.errorCode = errorCode
        self.reason = reason
        self.lastStream = lastStream
        self.closes = closes
        self.closesAfter = closesAfter
        self.second = second
    }

    /// Whether the request that called for the frame gets its answer.
    package var answersItsRequest: Bool { lastStream != .none && !closes }

    /// The debug data's bytes.
    package var debugBytes: [UInt8] {
        switch debugData {
        case .text(let text): return Array(text.utf8.prefix(Self.maximumDebugData))
        case .padded(let count):
            return SimulatorAnswer.padded(reason: reason ?? "", to: min(count, Self.maximumDebugData))
        case .reason:
            guard let reason else { return [] }
            return SimulatorAnswer(status: 0, reason: reason).bodyBytes(now: 0)
        }
    }
}
