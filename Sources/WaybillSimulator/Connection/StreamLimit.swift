/// How many concurrent streams a connection announces; pure.
///
/// Apple: one until the first good provider token, then more. The fall back to one after a refusal has been seen in the
/// field and is not documented, so it is a choice.
package struct StreamLimit: Hashable, Sendable {
    /// What `SETTINGS_MAX_CONCURRENT_STREAMS` says now.
    package private(set) var announced: Int
    private let regular: Int
    private let fallsAfterRefusal: Bool
    /// Set by a rule; stands until another rule changes it.
    private var isPinned = false

    package init(initial: Int, regular: Int, fallsAfterRefusal: Bool = false) {
        announced = initial
        self.regular = regular
        self.fallsAfterRefusal = fallsAfterRefusal
    }

    /// Takes note of an answer.
    ///
    /// - Returns: the new limit, when it has to be announced.
    package mutating func answered(status: Int, tokenWasGood: Bool) -> Int? {
        guard !isPinned, tokenWasGood else { return nil }
        return change(to: fallsAfterRefusal && status != 200 ? 1 : regular)
    }

    /// Sets the limit from outside.
    ///
    /// - Returns: the new limit, when it has to be announced.
    package mutating func pin(to limit: Int) -> Int? {
        isPinned = true
        return change(to: limit)
    }

    private mutating func change(to limit: Int) -> Int? {
        guard limit != announced else { return nil }
        announced = limit
        return limit
    }
}
