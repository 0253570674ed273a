import WaybillDeviceRegistry
import WaybillMongo
import WaybillThreads

/// Takes back what was carried out of a storm's events, by whichever process, before its fuse was blown.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the limits of the pool, page by page.
struct StormSweep {
    /// Events that are dealt with together.
    private static let pageSize = 500

    let takeBack: TakeBack
    let control: PruneControl

    /// Takes back all there is of a storm whose fuse is blown, and of those that a person has discarded of late.
    ///
    /// Who has blown a fuse may have died before it could; what a person has decided about that then is followed also where the
    /// next storm has blown the fuse again.
    func run(_ fuse: Fuse, _ work: FuseWork) throws(MongoError) {
        for (times, state) in fuse.undoneTimes(now: work.now) { try sweep(fuse.name, times, as: state, work) }
    }

    private func sweep(
        _ name: FuseName,
        _ times: ClosedRange<Int64>,
        as state: TokenEvents.State,
        _ work: FuseWork
    ) throws(MongoError) {
        while true {
            control.watch.works()
            let page = try work.events.page(name, .applied, in: times, limit: Self.pageSize)
            let events = page.compactMap { FusedEvent($0) }
            try takeBack(events, as: state, work)
            // What cannot be read stays, and would be found again and again.
            guard page.count == Self.pageSize, !events.isEmpty else { return }
        }
    }
}
