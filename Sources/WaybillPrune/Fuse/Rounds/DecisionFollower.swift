import Logging
import WaybillDeviceRegistry
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// Carries out what a person has decided about the events that are held.
///
/// What was released is held against the log once more, and goes through the registry's usual checks; what was discarded is
/// marked, and disables nobody.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the limits of the pool, page by page.
struct DecisionFollower {
    /// Events that are dealt with together.
    private static let pageSize = 500
    /// How many pages are dealt with before new events have their turn.
    private static let pagesAtOnce = 4

    let registry: DeviceRegistryWriter
    let evidence: EventEvidence
    let control: PruneControl
    let logger: Logger

    /// Deals with some of what is held of a fuse, unless it is blown: then nobody has decided.
    ///
    /// - Returns: whether there are more.
    func run(_ fuse: Fuse, _ work: FuseWork) throws(MongoError) -> Bool {
        guard !fuse.isBlown else { return false }
        var counts = PruneCounts()
        var isMore = false
        for number in 1...Self.pagesAtOnce {
            control.watch.works()
            let page = try work.events.page(fuse.name, .held, limit: Self.pageSize)
            if !page.isEmpty { counts.add(try deal(with: page, of: fuse, work)) }
            guard page.count == Self.pageSize else { break }
            isMore = number == Self.pagesAtOnce
        }
        guard counts.released + counts.dropped > 0 else { return false }
        control.add(counts)
        logger.emit(PruneEvent.fuseFollowed(fuse, counts, isDone: !isMore))
        return isMore
    }

    private func deal(
        with page: [TokenEvents.Entry],
        of fuse: Fuse,
        _ work: FuseWork
    ) throws(MongoError) -> PruneCounts {
        var counts = PruneCounts()
        let ids = page.map(\.id)
        guard fuse.state == .released else {
            counts.dropped = try work.events.mark(ids, from: .held, .discarded, now: work.now)
            return counts
        }
        let judged = try evidence.judge(page.compactMap { FusedEvent($0)?.event }, now: work.now)
        let believed = judged.believed.map { EventBelief.bounded($0, now: work.now) }
        counts.afterRelease = try registry.apply(believed + judged.unproven)
        counts.released = try work.events.mark(ids, from: .held, .released, now: work.now)
        return counts
    }
}
