import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo

/// Knows how many events are held, and whether there is room for more.
///
/// They are counted from time to time: between two counts, what this process puts aside is known, and what others do is not.
/// Owns what ``PruneControl/fuses`` shows.
///
/// *Thread:* `wb-prune`. *Blocking:* ``count(_:_:)``.
final class HeldCount {
    private let policy: FusePolicy
    private let control: PruneControl
    /// Events that were put aside here since it was counted last.
    private var sinceCount = 0

    init(policy: FusePolicy, control: PruneControl) {
        self.policy = policy
        self.control = control
    }

    /// Takes down that events were put aside.
    func add(_ held: Int) { sinceCount += held }

    /// Whether some may be put aside, as far as is known; none always may.
    func hasRoom(for events: Int) -> Bool {
        let held = control.fuses.reduce(0) { $0 + $1.held } + sinceCount
        return events == 0 || held + events <= policy.mostHeld
    }

    /// Counts what is held of each fuse.
    func count(_ fuses: [FuseName: Fuse], _ work: FuseWork) throws(MongoError) {
        var views: [FuseView] = []
        for fuse in fuses.values {
            let held = try work.events.count(fuse.name, .held)
            views.append(FuseView(name: fuse.name, isBlown: fuse.isBlown, held: held))
        }
        control.fuses = views
        sinceCount = 0
    }
}

/// A fuse as metrics show it.
struct FuseView: Hashable, Sendable {
    let name: FuseName
    let isBlown: Bool
    let held: Int
}
