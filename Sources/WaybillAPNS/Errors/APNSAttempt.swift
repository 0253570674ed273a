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
    /// From the request's frame to that end, in nanoseconds; 0 where it is not known.
    package let latency: UInt64

    /// Creates an attempt, for tests of what handles it.
    public init(date: Int64, result: Result) {
        self.init(date: date, result: result, latency: 0)
    }

    package init(date: Int64, result: Result, latency: UInt64) {
        self.date = date
        self.result = result
        self.latency = latency
    }
}
