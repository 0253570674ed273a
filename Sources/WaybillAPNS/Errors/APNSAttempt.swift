/// One earlier attempt of a notification that took several.
public struct APNSAttempt: Hashable, Sendable {
    /// How an attempt ended.
    public enum Result: Hashable, Sendable {
        /// APNs answered with this HTTP status and reason.
        case answered(status: Int, reason: APNSReason?)
        /// Nobody answered; the cause is one word, such as `timeout`, `goaway` or `reset_2`.
        case unanswered(APNSError.Fate, cause: String)
    }

    /// When it ended, in milliseconds since 1970.
    public let date: Int64
    /// How it ended.
    public let result: Result

    /// Creates an attempt, for tests of what handles it.
    public init(date: Int64, result: Result) {
        self.date = date
        self.result = result
    }
}
