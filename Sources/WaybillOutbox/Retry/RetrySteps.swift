/// When what could not be handed over is tried again: ten times in three days, then never.
package enum RetrySteps {
    /// The pause behind each attempt but the last.
    static let pauses: [Duration] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600), .seconds(10 * 3600),
        .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    /// How many attempts there are.
    package static let attempts = pauses.count + 1

    /// How long to wait after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: how many there were, from 1.
    ///   - generator: spreads the pause by a tenth to either side, so that what failed together does not come back together.
    /// - Returns: milliseconds; `nil` when there is no further attempt.
    package static func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Int64? {
        guard attempt < attempts else { return nil }
        let pause = pauses[max(0, attempt - 1)] * Double.random(in: 0.9...1.1, using: &generator)
        return Int64(pause / .milliseconds(1))
    }
}
