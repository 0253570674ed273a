import WaybillThreads

/// Keeps a lane whose provider is slow or silent from holding the whole process: no lane stops another.
///
/// An equal part of what may be in flight is every lane's own, and one such part is nobody's: of notifications, of messages
/// handed out, and of bytes. A lane that has its part on its way is watched. It waits like any busy one, unless it answers
/// so little within a ``window`` that working off what it has, on its way and waiting, would take longer than ``patience``:
/// then its next messages wait in the delay queues, and leave the room to others. The watch ends when no more than half of
/// its part is on its way; a lane that was slow stays so until it has answered. Of messages and bytes a lane that was seen
/// to move may have all but the part that is nobody's: small messages need many for a high rate. A single lane has nobody
/// to leave room to.
///
/// A pure machine for one lane.
struct FairShare {
    /// Whether another message of the lane may start.
    enum Verdict: Equatable {
        case start
        /// Not at this moment: the lane has its part, and nothing says yet that it does not move.
        case wait
        /// Not soon: the lane does not move.
        case putOff(isNews: Bool)
    }

    /// What the lane has started and not settled.
    struct Held: Equatable {
        /// Of all messages and bytes that may be held, 1 being everything.
        var share: Double
        /// The notifications in it, answered or not.
        var notifications: Int
    }

    /// How long a lane beyond its part is watched at a time.
    static let window = Duration.seconds(1)
    /// How much work a lane may have, by the rate of its answers.
    static let patience = Duration.seconds(5)

    /// The lane's part of the notifications, and of everything else.
    private let share: Int
    private let part: Double
    private var watchedSince: MonotonicTime?
    /// How many were under way when the watch began, and how many had been answered.
    private var watched = 0
    private var answeredBefore = 0
    private var isSlow = false
    /// It was watched, and moved.
    private var isProven = false

    /// - Parameters:
    ///   - laneCount: the lanes that share the process, more than one.
    ///   - maximumInFlight: notifications in flight at the most.
    init(laneCount: Int, maximumInFlight: Int) {
        share = max(1, maximumInFlight / (laneCount + 1))
        part = 1 / Double(laneCount + 1)
    }

    /// Whether another message of the lane may start now.
    ///
    /// - Parameters:
    ///   - traffic: the lane's at this moment.
    ///   - waiting: its notifications that wait for room already.
    ///   - held: what it has started and not settled.
    ///   - now: this moment.
    /// - Returns: what is to be done with it.
    mutating func verdict(_ traffic: LaneTraffic.Count, waiting: Int, held: Held, now: MonotonicTime) -> Verdict {
        // What is held for the store or the broker is no fault of the lane: only what is on its way to the provider counts.
        let onTheWay = Double(min(traffic.underWay, held.notifications)) / Double(max(1, held.notifications))
        let load = held.share * onTheWay
        if traffic.underWay * 2 < share, load * 2 < part { endWatch(traffic) }
        guard traffic.underWay >= share || load >= (isProven ? 1 - part : part) else { return .start }
        guard let since = watchedSince else {
            watch(traffic, since: now)
            return isSlow ? .putOff(isNews: false) : .wait
        }
        let elapsed = now.duration(since: since)
        let wasSlow = isSlow
        if elapsed >= Self.window {
            let rate = Double(traffic.answered - answeredBefore) * (Self.patience / elapsed)
            isSlow = rate < Double(traffic.underWay + waiting)
            isProven = !isSlow
            watch(traffic, since: now)
        }
        return isSlow ? .putOff(isNews: !wasSlow) : .wait
    }

    private mutating func watch(_ traffic: LaneTraffic.Count, since now: MonotonicTime) {
        watchedSince = now
        watched = traffic.underWay
        answeredBefore = traffic.answered
    }

    /// Ends the watch over a lane that has no more than half of its part.
    ///
    /// One at a crawl is below its part again and again, for one message: it stays under watch. A silent one gives up all
    /// it has from time to time: it stays slow until it answers.
    private mutating func endWatch(_ traffic: LaneTraffic.Count) {
        let answered = traffic.answered - answeredBefore
        // Within less than a window, and by answers: it moves.
        if watchedSince != nil, answered * 2 >= watched { isProven = true }
        watchedSince = nil
        if answered > 0 { isSlow = false }
    }
}
