package import WaybillEncoding

/// One step of the delay queues: a queue whose messages come back after a fixed time.
package struct DelayStep: Hashable, Sendable {
    /// How long messages wait, in whole seconds; at least one.
    package let seconds: Int

    /// Creates a step.
    ///
    /// - Precondition: `seconds` is positive.
    package init(seconds: Int) {
        precondition(seconds > 0, "a delay of no time would be a loop")
        self.seconds = seconds
    }

    /// The units that a step may be written in: those of its queue's name.
    package static let units: [DurationText.Unit] = [.seconds, .minutes, .hours]

    /// Reads `5s`, `2m` or `1h`; `nil` for anything else, for zero and for more than a week.
    package init?(_ text: some StringProtocol) {
        guard let duration = DurationText.parse(text, in: Self.units), .seconds(1)...Self.longest ~= duration else {
            return nil
        }
        self.init(seconds: Int(duration.components.seconds))
    }

    /// A week.
    private static let longest = Duration.seconds(7 * 86_400)

    /// The step's name, the last part of its queue's: the largest unit that divides it, as in `90s`, `15m` or `1h`.
    package var name: String {
        if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }

    package var duration: Duration { .seconds(seconds) }

    package var milliseconds: Int64 { Int64(seconds) * 1000 }
}

extension DelayStep: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}
