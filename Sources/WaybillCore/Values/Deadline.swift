/// From when on a notification is too late to be sent, and which of its limits says so.
///
/// Whole seconds, as the providers have them.
package struct Deadline: Hashable, Sendable {
    /// The limit that ends first: the `reason` of a record with the outcome `expired`.
    package enum Cause: String, CaseIterable, Sendable {
        /// The notification's own `expiration`.
        case expiration
        /// The greatest age: the notification's, or the one that the configuration sets.
        case maxAge = "max_age"
    }

    /// Seconds since 1970 from which on the notification is not sent; `Int64.max` for never.
    package let seconds: Int64
    package let cause: Cause

    /// The first of a notification's limits.
    ///
    /// - Parameters:
    ///   - expiration: what is sent to the provider; 0 and none set no limit here.
    ///   - maxAge: whole seconds since the message's own time; `nil` for no limit.
    ///   - messageTime: the message's own time, in milliseconds since 1970.
    ///   - retriesEnd: when retries end in any case, in milliseconds since 1970; `nil` for what was never sent.
    package init(expiration: Expiration, maxAge: Int?, messageTime: Int64, retriesEnd: Int64? = nil) {
        var age = maxAge.map { messageTime / 1000 + Int64($0) } ?? .max
        if let retriesEnd { age = min(age, retriesEnd / 1000) }
        seconds = min(expiration.end, age)
        cause = age < expiration.end ? .maxAge : .expiration
    }

    /// Whether it is too late at a time in seconds since 1970.
    package func hasPassed(at now: Int64) -> Bool { seconds <= now }

    /// Whether a time in milliseconds since 1970 is early enough.
    package func allows(_ milliseconds: Int64) -> Bool { seconds > milliseconds / 1000 }
}
