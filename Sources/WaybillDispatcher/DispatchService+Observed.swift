import WaybillCore
import WaybillFleet
import WaybillMessages
import WaybillProviders
import WaybillPushTransport
package import WaybillTelemetry
package import WaybillThreads

extension DispatchService: ObservedWork {
    package var loops: [LoopWatch] {
        let health = context.health
        return [health.consumer, health.publisher, health.orders, health.statistics] + health.logs + driver.loops
    }

    package func status() -> WorkStatus {
        let load = context.load.snapshot
        var status = WorkStatus()
        status.checks = context.health.checks
        status.queues = context.queues.consumed
        status.consumers = load.consumers
        status.inFlight = [
            ("messages", load.messages), ("notifications", load.notifications), ("unstarted", load.unstarted),
        ]
        status.takenUpTo = load.waits.queues.map { ($0.name, $0.time) }
        let (counters, activities) = (context.counters.snapshot, driver.activities)
        let recorded = counters.recorded
        status.totals = Outcome.allCases.map { ($0.rawValue, recorded[$0]) }
        status.lanes = lanes(activities)
        status.troubles = troubles.found(
            lanes: context.lanes.indices.map {
                DispatchTroubles.ObservedLane(
                    name: context.lanes[$0].name,
                    provider: context.lanes[$0].provider.name,
                    activity: activities[$0],
                    state: status.lanes[$0].state
                )
            },
            counters: counters,
            messages: load.messages
        )
        // A lane that is parked for what was told of it before has not sent since then.
        for index in status.lanes.indices where status.lanes[index].state.isParked {
            guard let begin = troubles.stoppage(lane: index) else { continue }
            status.lanes[index].since = min(begin, status.lanes[index].since)
        }
        if let trouble = context.orders.current?.cancellationUse.trouble {
            status.troubles.append(Trouble(.cancellationsNearlyFull, trouble, advice: CancellationUse.advice))
        }
        if let trouble = context.orders.current?.unreadableTrouble {
            status.troubles.append(Trouble(.orderUnreadable, trouble, advice: UnreadableOrder.advice))
        }
        status.needs = status.lanes.compactMap(\.need)
        if let reason = context.orders.unreadFor {
            status.needs.append("pause, drain and cancel are not heard of: \(reason)")
        }
        return status
    }

    package func measure(into page: inout MetricsPage) {
        let activities = driver.activities
        DispatchMetrics(
            counters: context.counters.snapshot,
            load: context.load.snapshot,
            store: context.storeFigures.snapshot,
            maximumInFlight: context.maximumInFlight,
            queues: context.queues.dispatchQueues + [context.queues.bulk],
            lanes: lanes(activities),
            activities: activities,
            certificateEnds: driver.certificateEnds,
            cancellations: (context.orders.current ?? StandingOrders()).cancellationUse
        ).write(into: &page)
    }

    private func lanes(_ activities: [LaneActivity]) -> [LaneStatus] {
        context.lanes.indices.map { index in
            var status = LaneStatus(name: context.lanes[index].name)
            context.breakers.show(lane: index, in: &status)
            let activity = activities[index]
            status.advice = LaneAdvice.text(
                status,
                provider: context.lanes[index].provider.name,
                obstacle: activity.obstacle?.kind
            )
            status.connections = activity.connectionsOpen
            status.connecting = activity.connectionsPending
            status.streams = activity.streams
            status.waiting = activity.waiting
            status.stalls = activity.streamStalls + activity.windowStalls
            status.goAways = activity.goAways
            return status
        }
    }
}

extension DispatchTroubles.ObservedLane {
    fileprivate init(name: String, provider: ProviderName, activity: LaneActivity, state: LaneStatus.State) {
        self.init(
            name: name,
            provider: provider,
            activity: activity,
            isParked: state.isParked,
            isStoppedByOrder: state == .paused || state == .draining
        )
    }
}

extension LaneStatus.State {
    fileprivate var isParked: Bool { self == .parked || self == .probing }
}

extension LaneStatus {
    /// Why a person should look at the lane; `nil` while it sends.
    fileprivate var need: String? {
        state == .open ? nil : "lane \(name) does not send: \(cause ?? "")"
    }
}
