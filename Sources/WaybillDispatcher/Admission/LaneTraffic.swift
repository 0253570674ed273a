import WaybillThreads

/// How many notifications of each lane are on their way to the provider, and how many it has answered.
///
/// The consumer tells what sets out; whoever sends, looks up, or hears from the provider tells what has arrived. A single
/// lane has nobody to share with, and is not counted. What came from the bulk queue is counted apart.
final class LaneTraffic: Sendable {
    struct Count: Equatable {
        var underWay = 0
        /// Since the start.
        var answered = 0
    }

    private let lanes: Guarded<[Count]>
    private let laneCount: Int
    private let isCounting: Bool

    /// - Parameter laneCount: the lanes that share the process.
    init(laneCount: Int) {
        self.laneCount = laneCount
        isCounting = laneCount > 1
        lanes = Guarded(Array(repeating: Count(), count: 2 * laneCount))
    }

    /// What a lane has at the moment.
    func count(lane: Int, isBulk: Bool = false) -> Count {
        lanes.withLock { $0[slot(lane, isBulk)] }
    }

    /// Notifications of a lane set out for the provider.
    func started(_ count: Int, lane: Int, isBulk: Bool = false) {
        guard isCounting else { return }
        lanes.withLock { $0[slot(lane, isBulk)].underWay += count }
    }

    /// They are on their way no more.
    ///
    /// - Parameters:
    ///   - count: all of them, with those that turned out not to need sending.
    ///   - answered: those that the provider has answered, however.
    ///   - lane: the lane.
    ///   - isBulk: whether they came from the bulk queue.
    func ended(_ count: Int, answered: Int, lane: Int, isBulk: Bool = false) {
        guard isCounting else { return }
        lanes.withLock { lanes in
            lanes[slot(lane, isBulk)].underWay -= count
            lanes[slot(lane, isBulk)].answered += answered
        }
    }

    private func slot(_ lane: Int, _ isBulk: Bool) -> Int { isBulk ? laneCount + lane : lane }
}
