package import WaybillDeviceRegistry

/// What the worker did, event by event; every event counts once.
package struct PruneCounts: Hashable, Sendable {
    /// Carried out on the registry.
    package var registry = RegistryChanges()
    /// Ignored: the delivery log has another story.
    package var notBelieved = 0
    /// Of those for the registry, the ones that the delivery log knows nothing of: they make suspects only.
    package var unproven = 0
    /// Passed on to the rejected queue.
    package var malformed = 0

    package var total: Int { registry.total + notBelieved + malformed }

    package init() {}

    package mutating func add(_ other: PruneCounts) {
        registry.add(other.registry)
        notBelieved += other.notBelieved
        unproven += other.unproven
        malformed += other.malformed
    }
}
