import WaybillCore
import WaybillPushTransport
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

/// One lane, which is looked at in virtual time.
struct LaneWatch {
    var provider = ProviderName.apns
    let troubles = DispatchTroubles(laneCount: 1)
    let counters = DispatchCounters(lanes: [Samples.lanes[0]])

    /// What is found of it at a moment.
    func found(
        _ activity: LaneActivity,
        _ second: Int,
        messages: Int,
        isParked: Bool = false,
        isStoppedByOrder: Bool = false
    ) -> [Trouble] {
        let lane = DispatchTroubles.ObservedLane(
            name: "parcels",
            provider: provider,
            activity: activity,
            isParked: isParked,
            isStoppedByOrder: isStoppedByOrder
        )
        return troubles.found(lanes: [lane], counters: counters.snapshot, messages: messages, now: .at(second))
    }
}

extension LaneActivity {
    /// Of a lane that has, or tries to get, one connection.
    static func sample(
        open: Int = 0,
        streams: Int = 0,
        waiting: Int = 0,
        sent: Int = 10,
        answers: Int = 0,
        obstacle: PushObstacle? = nil
    ) -> LaneActivity {
        LaneActivity(
            connectionsOpen: open,
            connectionsPending: 1 - open,
            connectionsDraining: 0,
            streams: streams,
            waiting: waiting,
            obstacle: obstacle,
            sent: sent,
            resent: 0,
            answers: answers,
            timeouts: 0,
            connected: 1,
            connectionFailures: 1,
            goAways: 0,
            streamStalls: 0,
            windowStalls: 0
        )
    }
}

extension MonotonicTime {
    /// A second of virtual time.
    static func at(_ second: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(second) * 1_000_000_000) }
}
