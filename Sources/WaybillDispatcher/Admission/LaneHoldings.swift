/// What each lane has of the two things that run out before notifications do when messages are small or large: messages
/// handed out, and bytes of bodies.
///
/// A message is held from when it is sent on its way until it is settled.
struct LaneHoldings {
    /// What a lane has.
    struct Load: Equatable {
        /// Of what may be held at all, 1 being everything; of messages or of bytes, whichever is more.
        var share: Double
        /// The notifications in it, answered or not.
        var items: Int

        static let none = Load(share: 0, items: 0)
    }

    private struct Lane {
        var messages = 0
        var bytes = 0
        var items = 0
    }

    private var lanes: [Lane]
    private var held: Set<ObjectIdentifier> = []
    private let maximumBytes: Int

    /// - Parameters:
    ///   - laneCount: the lanes that share the process.
    ///   - maximumBytes: bytes of bodies in flight at the most.
    init(laneCount: Int, maximumBytes: Int) {
        lanes = Array(repeating: Lane(), count: laneCount)
        self.maximumBytes = maximumBytes
    }

    /// A message is on its way.
    mutating func started(_ finalizer: Finalizer) {
        // With one lane nobody asks.
        guard lanes.count > 1, let lane = finalizer.lane else { return }
        held.insert(ObjectIdentifier(finalizer))
        lanes[lane].messages += 1
        lanes[lane].bytes += finalizer.byteCount
        lanes[lane].items += finalizer.itemCount
    }

    /// A message is settled; it need not have started.
    mutating func settled(_ finalizer: Finalizer) {
        guard let lane = finalizer.lane, held.remove(ObjectIdentifier(finalizer)) != nil else { return }
        lanes[lane].messages -= 1
        lanes[lane].bytes -= finalizer.byteCount
        lanes[lane].items -= finalizer.itemCount
    }

    /// What a lane has at the moment.
    ///
    /// - Parameters:
    ///   - lane: the lane.
    ///   - prefetch: how many messages the broker hands out at the moment.
    /// - Returns: a share of 0 to 1; above that when less is handed out than before.
    func load(lane: Int, prefetch: Int) -> Load {
        let share = max(
            Double(lanes[lane].messages) / Double(max(1, prefetch)),
            Double(lanes[lane].bytes) / Double(maximumBytes)
        )
        return Load(share: share, items: lanes[lane].items)
    }
}
