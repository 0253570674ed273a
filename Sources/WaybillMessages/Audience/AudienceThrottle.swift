/// How many notifications of an audience are handed over a minute, at most.
package struct AudienceThrottle: Hashable, Sendable {
    /// 1 to 60,000,000.
    package var perMinute: Int
    /// Audiences of one client that have the same share the rate of each; `nil`: this one alone.
    package var key: String?

    package init(perMinute: Int, key: String? = nil) {
        self.perMinute = perMinute
        self.key = key
    }

    /// How many may go at the same moment: those of half a second, and at least one.
    package var share: Int { max(1, perMinute / 120) }

    /// How long the next ones wait after so many, in milliseconds.
    package func interval(after count: Int) -> Int64 {
        (Int64(count) * 60_000 + Int64(perMinute) - 1) / Int64(perMinute)
    }

    /// What may be made up for of time in which nothing went: half a second, in milliseconds.
    ///
    /// Together with ``share``, no stretch of time has more than a second's worth above the rate.
    package static let slack: Int64 = 500
}
