import WaybillThreads

/// Keeps a lane whose APNs is slow or silent from holding the whole process: no lane stops another.
///
/// An equal part of what may be in flight is every lane's own, and one such part is nobody's: of notifications, and of the
/// messages and bytes that ``LaneHoldings`` counts. A lane that has its part on its way is watched. It waits like any busy
/// one, unless it answers so little within a ``window`` that working off what it has, on its way and waiting, would take
/// longer than ``patience``: then its next messages wait in the delay queues, and leave the room to others. The watch ends
/// when no more than half of its part is on its way; a lane that was slow stays so until it has answered. Of messages and
/// bytes a lane that was seen to move may have all but the part that is nobody's: small messages need many for a high
/// rate. A single lane has nobody to leave room to. The consumer, whoever sends, and the driver call from their threads.
final class LaneShares: Sendable {
    /// Whether another message of a lane may be sent.
    enum Room: Equatable {
        case free
        /// Not at this moment: the lane has its part, and nothing says yet that it does not move.
        case soon
        /// Not soon: the lane does not move.
        case none(isNews: Bool)
    }

    /// How long a lane beyond its part is watched at a time.
    static let window = Duration.seconds(1)
    /// How much work a lane may have, by the rate of its answers.
    static let patience = Duration.seconds(5)

    private struct Lane {
        var underWay = 0
        var answered = 0
        var watchedSince: MonotonicTime?
        /// How many were under way when the watch began.
        var watched = 0
        var isSlow = false
        /// It was watched, and moved.
        var isProven = false
    }

    private let share: Int?
    private let part: Double
    private let lanes: Guarded<[Lane]>

    /// - Parameters:
    ///   - laneCount: the lanes that share the process.
    ///   - maximumInFlight: notifications in flight at the most.
    init(laneCount: Int, maximumInFlight: Int) {
        part = 1 / Double(laneCount + 1)
        share = laneCount > 1 ? max(1, maximumInFlight / (laneCount + 1)) : nil
        lanes = Guarded(Array(repeating: Lane(), count: laneCount))
    }

    /// Notifications of a lane set out for APNs.
    func started(_ count: Int, lane: Int) {
        guard share != nil else { return }
        lanes.withLock { $0[lane].underWay += count }
    }

    /// They are on their way no more.
    ///
    /// - Parameters:
    ///   - count: all of them, with those that turned out not to need sending.
    ///   - answered: those that APNs has answered, however.
    ///   - lane: the lane.
    func ended(_ count: Int, answered: Int, lane: Int) {
        guard share != nil else { return }
        lanes.withLock { lanes in
            lanes[lane].underWay -= count
            lanes[lane].answered += answered
        }
    }

    /// Whether another message of the lane may be sent now.
    ///
    /// - Parameters:
    ///   - lane: the lane.
    ///   - waiting: its notifications that wait for room already.
    ///   - load: what it has of all messages and bytes that may be held.
    ///   - now: this moment.
    /// - Returns: whether there is room, or when to ask again.
    func room(lane: Int, waiting: Int, load: LaneHoldings.Load = .none, now: MonotonicTime) -> Room {
        guard let share else { return .free }
        return lanes.withLock { lanes in
            watch(&lanes[lane], share: share, waiting: waiting, load: load, now: now)
        }
    }

    private func watch(
        _ lane: inout Lane,
        share: Int,
        waiting: Int,
        load: LaneHoldings.Load,
        now: MonotonicTime
    ) -> Room {
        // What is held for the store or the broker is no fault of the lane: only what is on its way to APNs counts.
        let onTheWay = Double(min(lane.underWay, load.items)) / Double(max(1, load.items))
        let held = load.share * onTheWay
        if lane.underWay * 2 < share, held * 2 < part { endWatch(of: &lane) }
        guard lane.underWay >= share || held >= (lane.isProven ? 1 - part : part) else { return .free }
        guard let since = lane.watchedSince else {
            lane.watchedSince = now
            lane.watched = lane.underWay
            lane.answered = 0
            return lane.isSlow ? .none(isNews: false) : .soon
        }
        let elapsed = now.duration(since: since)
        let wasSlow = lane.isSlow
        if elapsed >= Self.window {
            lane.isSlow = Double(lane.answered) * (Self.patience / elapsed) < Double(lane.underWay + waiting)
            lane.isProven = !lane.isSlow
            lane.watchedSince = now
            lane.watched = lane.underWay
            lane.answered = 0
        }
        return lane.isSlow ? .none(isNews: !wasSlow) : .soon
    }

    /// Ends the watch over a lane that has no more than half of its part.
    ///
    /// One at a crawl is below its part again and again, for one message: it stays under watch. A silent one gives up all
    /// it has from time to time: it stays slow until it answers.
    private func endWatch(of lane: inout Lane) {
        // Within less than a window, and by answers: it moves.
        if lane.watchedSince != nil, lane.answered * 2 >= lane.watched { lane.isProven = true }
        lane.watchedSince = nil
        if lane.answered > 0 { lane.isSlow = false }
    }
}
