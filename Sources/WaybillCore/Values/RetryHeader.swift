/// What a delayed retry says of itself in its AMQP headers.
package struct RetryHeader: Hashable, Sendable {
    /// The pass over the items that this message asks for: 1 was the producer's own message, so 2 and above.
    package var attempt: Int
    /// The positions that its items have in the producer's message, in ascending order.
    package var indexes: [Int]
    /// What the ids of the producer's message derive from: the retry's own body is only a part of it.
    package var identity: MessageIdentity

    package init(attempt: Int, indexes: [Int], identity: MessageIdentity) {
        self.attempt = attempt
        self.indexes = indexes
        self.identity = identity
    }
}
