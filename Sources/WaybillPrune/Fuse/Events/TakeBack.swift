import WaybillDeviceRegistry
import WaybillMongo

/// Undoes what was carried out of events that are held or discarded.
struct TakeBack {
    let registry: DeviceRegistryWriter
    let control: PruneControl

    /// Undoes events, and marks them: in this order, so that what is marked is undone.
    ///
    /// - Parameters:
    ///   - events: which; also such as were never carried out.
    ///   - state: what those of them have from then on that were carried out.
    ///   - work: the store, and the time.
    /// - Throws: when it is not known to be durable; the same may be done again.
    func callAsFunction(
        _ events: [FusedEvent],
        as state: TokenEvents.State,
        _ work: FuseWork
    ) throws(MongoError) {
        guard !events.isEmpty else { return }
        let devices = try registry.takeBack(events.map { ($0.event, $0.entry.isKnown) }, now: work.now)
        _ = try work.events.mark(events.map(\.entry.id), from: .applied, state, now: work.now)
        var counts = PruneCounts()
        counts.takenBack = devices
        control.add(counts)
    }
}
