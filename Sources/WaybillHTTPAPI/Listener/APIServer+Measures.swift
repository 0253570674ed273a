import WaybillAccounts
package import WaybillTelemetry
package import WaybillThreads

extension APIServer: ObservedWork {
    package var loops: [LoopWatch] {
        store.watches + ownStore.watches + [feed.watch] + (events.map { [$0.watch] } ?? []) + (door?.watches ?? [])
            + (sender?.watches ?? []) + (receipts?.watches ?? [])
    }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [listens.check(), storeAnswers.check()]
        status.inFlight = [("waiting", waiting)]
        status.totals = metrics.totals
        return status
    }

    package func measure(into page: inout MetricsPage) {
        metrics.measure(into: &page)
        refusals.measure(into: &page)
        receipts?.counts.measure(into: &page)
        page.add(Self.waiting, waiting)
        page.add(Self.streams, places.count)
        page.add(Self.viewers, viewers)
        page.add(Self.dropped, droppedViewers)
        for way in AccountEventFeed.Way.allCases {
            page.add(Self.listeners, events?.listeners(way) ?? 0, ["transport": way.rawValue])
        }
        page.add(Self.droppedListeners, events?.dropped ?? 0)
        for end in SocketTally.End.allCases { page.add(Self.socketEnds, sockets.number(end), ["reason": end.name]) }
        page.add(Self.replays, door?.replays ?? 0)
        for outcome in LogInTally.Outcome.allCases {
            page.add(Self.logIns, door?.logIns.number(outcome) ?? 0, ["result": outcome.rawValue])
        }
        let tally = keys.withLock { $0 }
        for kind in KeyTally.Kind.allCases {
            page.set(Self.keyCount, Int64(tally[kind]), ["state": kind.rawValue])
        }
    }

    private static let keyCount = Metric(
        "waybill_api_keys",
        .gauge,
        "Keys of the API by state; an expiring one ends within two weeks, and none has taken its place."
    )

    private static let replays = Metric(
        "waybill_api_replayed_refresh_tokens_total",
        .counter,
        "Refresh tokens that were shown a second time, which has ended their sessions."
    )
    private static let logIns = Metric(
        "waybill_api_passwords_total",
        .counter,
        "Passwords that people have shown, by how they were taken."
    )
    private static let waiting = Metric(
        "waybill_api_waiting_requests",
        .gauge,
        "Requests that wait for a thread that asks the store."
    )
    private static let streams = Metric(
        "waybill_api_streams",
        .gauge,
        "Answers that go on and on: tails, searches as NDJSON or CSV, and people's events and exports."
    )
    private static let viewers = Metric(
        "waybill_api_tail_viewers",
        .gauge,
        "Those who look at records as they are written."
    )
    private static let listeners = Metric(
        "waybill_api_event_listeners",
        .gauge,
        "People's apps and browsers that listen to what changes for their accounts, by how it is sent."
    )
    private static let droppedListeners = Metric(
        "waybill_api_event_dropped_listeners_total",
        .counter,
        "Listeners to an account's events that lost their connection because they took too little of what was sent."
    )
    private static let socketEnds = Metric(
        "waybill_api_websockets_ended_total",
        .counter,
        "WebSockets that have ended, by the code that the server closed them with, or because the client closed or lost them."
    )
    private static let dropped = Metric(
        "waybill_api_tail_dropped_viewers_total",
        .counter,
        "Viewers of a tail that lost their connection because they took too little of what was sent."
    )
}

extension APIServer {
    private var waiting: Int {
        store.waiting + ownStore.waiting + (door?.waiting ?? 0) + (sender?.waiting ?? 0) + (receipts?.waiting ?? 0)
    }

    /// Those who look at a tail, and those of them who lost their connection because they took too little.
    var viewers: Int { feed.viewers }
    var droppedViewers: Int { feed.dropped }
}
