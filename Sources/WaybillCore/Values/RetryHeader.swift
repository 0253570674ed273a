/// What a delayed retry, or a repeat, says of itself in its AMQP headers.
package struct RetryHeader: Hashable, Sendable {
    /// The pass over the items that this message asks for: 1 was the producer's own message, and is a repeat's first.
    package var attempt: Int
    /// The positions that its items have in the producer's message, in ascending order.
    package var indexes: [Int]
    /// What the ids of the producer's message derive from: the retry's own body is only a part of it.
    package var identity: MessageIdentity
    /// Which repeat of an unacknowledged notification it is; `nil` for what a producer has published.
    package var family: FamilyMember?

    package init(attempt: Int, indexes: [Int], identity: MessageIdentity, family: FamilyMember? = nil) {
        self.attempt = attempt
        self.indexes = indexes
        self.identity = identity
        self.family = family
    }
}
