import WaybillCore
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Notices what goes wrong with one lane while its dispatcher works.
struct LaneTroubles {
    private var sending = Standstill()
    private var answers = Standstill()
    private var deadTokens = DeadTokenMemory()
    private var putOff = PutOffMemory()

    /// Looks at the lane, and at what has come of its pushes since the start.
    mutating func found(
        _ lane: DispatchTroubles.ObservedLane,
        _ tally: LaneTally,
        now: MonotonicTime
    ) -> [Trouble] {
        [
            silence(lane, now: now), isolation(lane, now: now), storm(lane, tally, now: now),
            refusals(lane, tally, now: now),
        ].compactMap(\.self)
    }

    private mutating func silence(_ lane: DispatchTroubles.ObservedLane, now: MonotonicTime) -> Trouble? {
        let (count, streams) = (lane.activity.answers, lane.activity.streams)
        let length = answers.duration(of: count, isExpected: streams > 0, now: now)
        guard length >= DispatchTroubles.patience else { return nil }
        return SilenceTrouble(lane: lane.name, streams: streams, length: length).trouble
    }

    private mutating func isolation(_ lane: DispatchTroubles.ObservedLane, now: MonotonicTime) -> Trouble? {
        let length = sending.duration(of: lane.activity.sent, isExpected: lane.isHeldUp, now: now)
        // Nobody waited for earlier attempts, perhaps; how long there is nothing to send with is told all the same.
        guard let obstacle = lane.activity.obstacle, length >= DispatchTroubles.patience else { return nil }
        return UnreachedTrouble(
            lane: lane.name,
            provider: lane.provider,
            obstacle: obstacle,
            waiting: lane.activity.waiting,
            now: now
        ).trouble
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
