import WaybillProviders
import WaybillPushTransport
import WaybillThreads

/// That nothing gets through on a lane, once it is told, until the push service answers there.
///
/// That nothing is in hand for the moment proves nothing: what was put off comes back after minutes, and finds out.
struct LaneStoppage {
    /// What was seen of it last.
    enum Sign {
        /// Pushes were taken, and none is answered.
        case silence
        /// There is no connection, or no token to send with.
        case obstacle(PushObstacle)

        fileprivate var isForWantOfAToken: Bool {
            if case .obstacle(let obstacle) = self { obstacle.isForWantOfAToken } else { false }
        }
    }

    /// One that is told.
    struct Told {
        fileprivate(set) var sign: Sign
        /// Since when nothing gets through.
        fileprivate(set) var begin: MonotonicTime
        /// The same by the wall clock, in milliseconds since 1970: whoever asks is told the same.
        fileprivate(set) var since: Int64
        /// Answers before it.
        fileprivate let answers: Int
    }

    private(set) var told: Told?

    /// Looks at the lane.
    ///
    /// - Parameters:
    ///   - activity: the lane's at this moment.
    ///   - silence: since when pushes have no answer; `nil` before that is worth a word.
    ///   - isHeldUp: whether something has kept what waits from being sent for long enough to be worth a word.
    ///   - now: this moment.
    mutating func look(
        at activity: LaneActivity,
        silence: MonotonicTime?,
        isHeldUp: Bool,
        now: MonotonicTime
    ) {
        if let told, told.answers < activity.answers { self.told = nil }
        // A token that was got proves that one can be had.
        if let told, told.sign.isForWantOfAToken, activity.obstacle == nil { self.told = nil }
        if let obstacle = activity.obstacle, isHeldUp || told != nil {
            note(.obstacle(obstacle), since: obstacle.since, activity, now: now)
        } else if let silence {
            note(.silence, since: silence, activity, now: now)
        } else if told != nil, activity.streams > 0 {
            // Connected again, and not answered yet.
            told?.sign = .silence
        }
    }

    /// An operator's order ends what was known: nothing is sent, or all begins anew.
    mutating func forget() { told = nil }

    private mutating func note(_ sign: Sign, since begin: MonotonicTime, _ activity: LaneActivity, now: MonotonicTime) {
        if let told, told.begin <= begin {
            self.told?.sign = sign
            return
        }
        let age = Int64(now.duration(since: begin) / .milliseconds(1))
        told = Told(
            sign: sign,
            begin: begin,
            since: WallClock.milliseconds() - age,
            answers: told?.answers ?? activity.answers
        )
    }
}

extension PushObstacle {
    /// Whether there is no token to send with, and a connection may stand.
    var isForWantOfAToken: Bool {
        switch kind {
        case .network, .certificate: false
        case .token, .key, .clock: true
        }
    }
}
