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

    /// Takes back all there is of a fuse that is blown, or whose events a person has discarded.
    func run(_ fuse: Fuse, _ work: FuseWork) throws(MongoError) {
        guard let times = fuse.stormTimes else { return }
        while true {
            control.watch.works()
            let page = try work.events.page(fuse.name, .applied, in: times, limit: Self.pageSize)
            let events = page.compactMap { FusedEvent($0) }
            try takeBack(events, as: fuse.isBlown ? .held : .discarded, work)
            // What cannot be read stays, and would be found again and again.
            guard page.count == Self.pageSize, !events.isEmpty else { return }
        }
    }
}
