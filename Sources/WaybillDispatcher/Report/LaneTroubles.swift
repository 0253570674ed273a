import WaybillCore
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Notices what goes wrong with one lane while its dispatcher works.
struct LaneTroubles {
    private var sending = Standstill()
    private var answers = Standstill()
    private(set) var stoppage = LaneStoppage()
    private var deadTokens = DeadTokenMemory()
    private var putOff = PutOffMemory()

    /// Looks at the lane, and at what has come of its pushes since the start.
    mutating func found(
        _ lane: DispatchTroubles.ObservedLane,
        _ tally: LaneTally,
        now: MonotonicTime
    ) -> [Trouble] {
        [
            stoppage(lane, now: now), storm(lane, tally, now: now), refusals(lane, tally, now: now),
        ].compactMap(\.self)
    }

    private mutating func stoppage(_ lane: DispatchTroubles.ObservedLane, now: MonotonicTime) -> Trouble? {
        let activity = lane.activity
        let silence = answers.duration(of: activity.answers, isExpected: activity.streams > 0, now: now)
        let wait = sending.duration(of: activity.sent, isExpected: lane.isHeldUp, now: now)
        guard !lane.isStoppedByOrder else {
            stoppage.forget()
            return nil
        }
        stoppage.look(
            at: activity,
            silence: silence >= DispatchTroubles.patience ? now.advanced(by: .zero - silence) : nil,
            // Nobody waited for earlier attempts, perhaps; how long there is nothing to send with is told all the same.
            isHeldUp: wait >= DispatchTroubles.patience,
            now: now
        )
        // What parks a lane is told with its state.
        guard let told = stoppage.told, !lane.isParked else { return nil }
        switch told.sign {
        case .silence:
            let length = now.duration(since: told.begin)
            return SilenceTrouble(lane: lane.name, streams: activity.streams, length: length, since: told.since).trouble
        case .obstacle(let obstacle):
            return UnreachedTrouble(
                lane: lane.name,
                provider: lane.provider,
                obstacle: obstacle,
                waiting: activity.waiting,
                stoppage: told,
                now: now
            ).trouble
        }
    }

    private mutating func storm(
        _ lane: DispatchTroubles.ObservedLane,
        _ tally: LaneTally,
        now: MonotonicTime
    ) -> Trouble? {
        let storm = deadTokens.take(
            dead: tally.outcomes[.tokenInvalid],
            ended: tally.outcomes.final,
            sources: tally.deadTokens,
            now: now
        )
        return storm.map { DeadTokenStorm(lane: lane.name, provider: lane.provider, $0.recent, age: $0.age).trouble }
    }

    private mutating func refusals(
        _ lane: DispatchTroubles.ObservedLane,
        _ tally: LaneTally,
        now: MonotonicTime
    ) -> Trouble? {
        let refusals = putOff.take(
            answered: tally.answered,
            accepted: tally.outcomes[.accepted],
            putOff: tally.putOff,
            now: now
        )
        return refusals.map { PutOffTrouble(lane: lane.name, provider: lane.provider, recent: $0).trouble }
    }
}
