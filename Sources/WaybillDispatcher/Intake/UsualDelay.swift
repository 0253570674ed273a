/// How old messages usually are when they come from a queue, so that one which was held back elsewhere stands out: moved from
/// another queue, or published again by somebody who had kept it.
struct UsualDelay {
    /// A message younger than this is never conspicuous, in milliseconds.
    static let leastLimit: Int64 = 60_000
    private static let weight = 1.0 / 16

    /// Milliseconds, smoothed.
    private(set) var typical = 0.0

    /// Takes a message's age into account.
    ///
    /// Where a queue stands still and goes on, the first few are conspicuous, and what follows them is usual.
    ///
    /// - Parameter age: from the message's own time to now, in milliseconds; below zero where clocks differ.
    /// - Returns: whether the message is more than twice as old as usual.
    mutating func isConspicuous(age: Int64) -> Bool {
        let limit = max(Double(Self.leastLimit), 2 * typical)
        let age = Double(max(0, age))
        // One message from another century must not stand for all that follow.
        typical += (min(age, 2 * limit) - typical) * Self.weight
        return age > limit
    }
}
