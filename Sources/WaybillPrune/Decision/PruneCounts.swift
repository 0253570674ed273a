/// What the worker did, event by event; every event counts once.
package struct PruneCounts: Hashable, Sendable {
    package var disabled = 0
    package var tombstoned = 0
    package var suspected = 0
    /// Left alone, because the app has registered again since.
    package var newerRegistration = 0
    /// Nothing left to do: a repetition, or an event about a token that is disabled.
    package var already = 0
    /// Ignored: the delivery log has another story.
    package var notBelieved = 0
    /// Of all others, the ones that the delivery log knows nothing of: they make suspects only.
    package var unproven = 0
    /// Passed on to the rejected queue.
    package var malformed = 0

    package var total: Int { disabled + tombstoned + suspected + newerRegistration + already + notBelieved + malformed }

    package init() {}

    package mutating func add(_ other: PruneCounts) {
        disabled += other.disabled
        tombstoned += other.tombstoned
        suspected += other.suspected
        newerRegistration += other.newerRegistration
        already += other.already
        notBelieved += other.notBelieved
        unproven += other.unproven
        malformed += other.malformed
    }
}
