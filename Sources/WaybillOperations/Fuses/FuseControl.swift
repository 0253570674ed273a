package import WaybillDeviceRegistry
package import WaybillMongo
import WaybillThreads

/// A fuse with what it holds.
package struct FuseOverview: Hashable, Sendable {
    package var fuse: Fuse
    /// Events that wait for a person, or, after a decision, for prune to follow it.
    package var held: Int

    package init(fuse: Fuse, held: Int) {
        self.fuse = fuse
        self.held = held
    }

    /// Whether a person has released events that prune has not carried out yet.
    var waitsForPrune: Bool { fuse.state == .released && held > 0 }
}

/// Every fuse that has ever blown, and the names of documents beside them that are none: prune carries out nothing while there are any.
package struct FuseSurvey: Hashable, Sendable {
    package var fuses: [FuseOverview]
    package var unreadable: [String]

    package init(fuses: [FuseOverview] = [], unreadable: [String] = []) {
        self.fuses = fuses
        self.unreadable = unreadable
    }
}

/// Fuses as the store has them, and decisions about them.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct FuseControl {
    /// What became of a decision.
    package enum Answer: Hashable, Sendable {
        /// It is written, and prune follows.
        case decided(FuseOverview)
        /// No fuse of this lane and app is blown; these are.
        case notBlown([FuseName])
        /// The lane has several: say which app.
        case several([FuseName])
        /// Somebody else was faster.
        case changed
    }

    private let store: FuseStore
    private let events: TokenEvents

    package init(client: MongoClient, database: String) {
        store = FuseStore(client: client, database: database)
        events = TokenEvents(client: client, database: database)
    }

    /// Every fuse, with what it holds.
    package func survey() throws(MongoError) -> FuseSurvey {
        let found = try store.found()
        var fuses: [FuseOverview] = []
        for fuse in found.fuses {
            fuses.append(FuseOverview(fuse: fuse, held: try events.count(fuse.name, .held)))
        }
        return FuseSurvey(fuses: fuses, unreadable: found.unreadable)
    }

    /// Decides about what a fuse holds.
    ///
    /// - Parameters:
    ///   - lane: whose.
    ///   - app: `nil` where the lane has one that is blown.
    ///   - state: released or discarded.
    ///   - decision: whose it is.
    /// - Returns: what became of it.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func decide(
        lane: String,
        app: String?,
        _ state: Fuse.State,
        _ decision: FuseDecision
    ) throws(MongoError) -> Answer {
        let blown = try store.found().fuses.filter(\.isBlown)
        let meant = blown.filter {
            $0.name == FuseName(lane: lane, app: app ?? $0.name.app)
        }
        guard let fuse = meant.first else { return .notBlown(blown.map(\.name)) }
        guard meant.count == 1 else { return .several(meant.map(\.name)) }
        let held = try events.count(fuse.name, .held)
        guard try store.decide(fuse, state, decision) else { return .changed }
        var decided = fuse
        decided.state = state
        decided.decision = decision
        return .decided(FuseOverview(fuse: decided, held: held))
    }

    /// Waits until prune has followed a decision, for ten seconds at the most.
    ///
    /// - Parameter name: whose fuse.
    /// - Returns: how many events are left.
    /// - Throws: what the count fails with.
    package func rest(of name: FuseName) throws(MongoError) -> Int {
        let deadline = MonotonicTime.now().advanced(by: .seconds(10))
        while true {
            let held = try events.count(name, .held)
            guard held > 0, MonotonicTime.now() < deadline else { return held }
            NamedThread.sleep(for: .milliseconds(250)) { false }
        }
    }
}
