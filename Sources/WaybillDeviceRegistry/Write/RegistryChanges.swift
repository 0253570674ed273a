/// What became of events in the registry; every event counts once.
package struct RegistryChanges: Hashable, Sendable {
    package var disabled = 0
    package var tombstoned = 0
    package var suspected = 0
    /// Left alone: suspected only, and nobody has registered the token here.
    package var unknownDevice = 0
    /// Left alone, because the app has registered again since.
    package var newerRegistration = 0
    /// Nothing left to do: a repetition, or an event about a token that is disabled.
    package var already = 0

    package var total: Int { disabled + tombstoned + suspected + unknownDevice + newerRegistration + already }

    package init() {}

    package mutating func add(_ other: RegistryChanges) {
        disabled += other.disabled
        tombstoned += other.tombstoned
        suspected += other.suspected
        unknownDevice += other.unknownDevice
        newerRegistration += other.newerRegistration
        already += other.already
    }
}
