import WaybillDeviceRegistry
import WaybillMongo

/// Carries events out on the registry, or puts them aside where their fuse has blown.
///
/// Invariants: an event is in the store before anything is done about it; what was carried out while its fuse was blown, or was
/// being blown, is taken back. Failure: an error leaves everything so that the same can be done again.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the limits of the pool.
struct EventGate {
    let registry: DeviceRegistryWriter
    let held: HeldCount
    let takeBack: TakeBack

    /// Does with each event what its fuse says.
    ///
    /// - Parameters:
    ///   - events: as the log tells them.
    ///   - work: the store, and the time.
    /// - Returns: what became of them, all durable; `nil` if there is no room for what would have to be held.
    /// - Throws: what the store says; the same events may be dealt with again.
    func carryOut(_ events: [FusedEvent], _ work: FuseWork) throws(MongoError) -> FuseChanges? {
        let fuses = try work.fuses()
        let parts = Dictionary(grouping: events) { $0.fate(fuses) }
        let aside = parts[.held] ?? []
        if !held.hasRoom(for: aside.count) {
            // What is known of how many there are is of a while ago.
            try held.count(fuses, work)
            guard held.hasRoom(for: aside.count) else { return nil }
        }
        var changes = FuseChanges()
        try putAside(aside, as: .held, work, &changes)
        try putAside(parts[.discarded] ?? [], as: .discarded, work, &changes)
        try apply(parts[.carriedOut] ?? [], work, &changes)
        return changes
    }

    /// Holds or discards events; what was carried out of them before a crash is taken back.
    private func putAside(
        _ events: [FusedEvent],
        as state: TokenEvents.State,
        _ work: FuseWork,
        _ changes: inout FuseChanges
    ) throws(MongoError) {
        guard !events.isEmpty else { return }
        let stored = try work.events.put(events.map(\.entry), state, now: work.now)
        // Also of those that were marked before: who has carried them out may have died after somebody else had marked them.
        let own = events.compactMap { $0.stored(stored, in: [state, .applied]) }
        try takeBack(own, as: state, work)
        if state == .held {
            changes.held += own.count
            held.add(own.count)
        } else {
            changes.discarded += own.count
        }
        changes.registry.already += events.count - own.count
    }

    private func apply(
        _ events: [FusedEvent],
        _ work: FuseWork,
        _ changes: inout FuseChanges
    ) throws(MongoError) {
        guard !events.isEmpty else { return }
        let stored = try work.events.put(events.map(\.entry), .applied, now: work.now)
        let own = events.compactMap { $0.stored(stored, in: [.applied]) }
        changes.registry.already += events.count - own.count
        changes.registry.add(try registry.apply(own.map(\.event)))
        // A fuse may have blown meanwhile, and whoever has blown it may not have seen these.
        let fuses = try work.fuses()
        let late = Dictionary(grouping: own) { $0.fate(fuses) }
        try takeBack(late[.held] ?? [], as: .held, work)
        try takeBack(late[.discarded] ?? [], as: .discarded, work)
    }
}
