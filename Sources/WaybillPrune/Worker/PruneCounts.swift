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
    /// Put aside, because their fuse has blown.
    package var held = 0
    /// Left alone, because a person has called what was said at their time wrong.
    package var discarded = 0

    /// How often a fuse has blown here.
    package var blown = 0
    /// Devices that were enabled again, and tombstones that were taken out, because a fuse has blown since they were disabled.
    package var takenBack = 0
    /// Held events that were carried out after a person had released them, and what that did to the registry.
    package var released = 0
    package var afterRelease = RegistryChanges()
    /// Held events that a person has discarded.
    package var dropped = 0

    package var total: Int { registry.total + notBelieved + malformed + held + discarded }

    package init() {}

    package mutating func add(_ other: PruneCounts) {
        registry.add(other.registry)
        notBelieved += other.notBelieved
        unproven += other.unproven
        malformed += other.malformed
        held += other.held
        discarded += other.discarded
        blown += other.blown
        takenBack += other.takenBack
        released += other.released
        afterRelease.add(other.afterRelease)
        dropped += other.dropped
    }
}
