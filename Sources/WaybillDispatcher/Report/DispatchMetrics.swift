import WaybillCore
import WaybillFleet
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// What a dispatcher measures, for Prometheus: every series from the start, those with zero too.
struct DispatchMetrics {
    let counters: DispatchCounters.Snapshot
    let load: ConsumerLoad.Snapshot
    let store: StoreFigures.Snapshot
    let maximumInFlight: Int
    /// The queues that are read.
    let queues: [String]
    let lanes: [LaneStatus]
    let activities: [LaneActivity]
    /// By lane, in seconds since 1970; `nil` for one that has no certificate.
    let certificateEnds: [Int64?]
    /// Of the orders that are in force.
    let cancellations: CancellationUse

    func write(into page: inout MetricsPage) {
        writeMessages(into: &page)
        writeLoad(into: &page)
        for (index, lane) in lanes.enumerated() {
            writeEnds(of: lane.name, counters.lanes[index], into: &page)
            writeConnections(of: lane, activities[index], into: &page)
            if let end = certificateEnds[index] { page.set(Self.certificateEnd, end, ["lane": lane.name]) }
        }
        page.add(Self.logWrites, counters.logWrites)
        page.set(Self.storeLag, store.lag)
        page.set(Self.overdue, store.overdue)
        page.add(Self.cancellations, cancellations.all.count)
        page.add(Self.cancellationUse, cancellations.fullest.ratio)
    }

    // MARK: - Orders

    private static let cancellations = Metric(
        "waybill_cancellations",
        .gauge,
        "Cancellations of batches that hold."
    )
    private static let cancellationUse = Metric(
        "waybill_cancellations_used_ratio",
        .gauge,
        "Of the limits of cancellations (one client's, all clients', all) the one that is used most, 0 to 1: at 1 more are refused."
    )

    // MARK: - Messages

    private static let messages = Metric(
        "waybill_messages_total",
        .counter,
        "Messages by what became of them; 'rejected' went to the rejected queue, 'refused' because of who sent them."
    )
    private static let taken = Metric(
        "waybill_notifications_taken_total",
        .counter,
        "Notifications in the messages that were taken."
    )
    private static let known = Metric(
        "waybill_notifications_known_total",
        .counter,
        "Notifications that were not sent because the log had their final record."
    )
    private static let repeated = Metric(
        "waybill_notifications_repeated_total",
        .counter,
        "Notifications that their producers have published once more."
    )
    private static let unknownProducers = Metric(
        "waybill_unknown_producers_total",
        .counter,
        "Messages of users that 'producers' does not name, let through."
    )
    private static let publications = Metric(
        "waybill_publications_total",
        .counter,
        "Messages that a dispatcher has published and the broker has confirmed."
    )

    private func writeMessages(into page: inout MetricsPage) {
        page.add(Self.messages, counters.messagesTaken, ["result": "taken"])
        page.add(Self.messages, counters.messagesAcknowledged, ["result": "acknowledged"])
        page.add(Self.messages, counters.bodiesRejected, ["result": "rejected"])
        page.add(Self.messages, counters.refused.total, ["result": "refused"])
        page.add(Self.taken, counters.notificationsTaken)
        page.add(Self.known, counters.alreadyRecorded)
        page.add(Self.repeated, counters.repeatedByProducer)
        page.add(Self.unknownProducers, counters.unknownProducers)
        page.add(Self.publications, counters.tokenEvents, ["kind": "invalid_token"])
        page.add(Self.publications, counters.retriesPublished, ["kind": "retry"])
        page.add(Self.publications, counters.reidentified, ["kind": "reidentified"])
    }

    // MARK: - Load

    private static let inFlight = Metric(
        "waybill_in_flight_notifications",
        .gauge,
        "Notifications between being taken and being acknowledged."
    )
    private static let inFlightLimit = Metric(
        "waybill_in_flight_limit",
        .gauge,
        "broker.max_in_flight: the most notifications in flight."
    )
    private static let inFlightMessages = Metric(
        "waybill_in_flight_messages",
        .gauge,
        "Messages between being taken and being acknowledged."
    )
    private static let unstarted = Metric(
        "waybill_unstarted_messages",
        .gauge,
        "Messages that the broker has handed out and that have not been started."
    )
    private static let oldest = Metric(
        "waybill_oldest_unacknowledged_seconds",
        .gauge,
        "Age of the oldest message that was taken and is not acknowledged; 0 when there is none."
    )

    private static let queueWait = Metric(
        "waybill_queue_wait_seconds",
        .gauge,
        "How long the message that was taken last had waited in its queue, by its own time; 0 before the first."
    )

    private func writeLoad(into page: inout MetricsPage) {
        page.add(Self.inFlight, load.notifications)
        page.add(Self.inFlightLimit, maximumInFlight)
        page.add(Self.inFlightMessages, load.messages)
        page.add(Self.unstarted, load.unstarted)
        page.add(Self.oldest, load.oldest.map { MonotonicTime.now().duration(since: $0) / .seconds(1) } ?? 0)
        for queue in queues {
            let waited = load.waits.queues.first { $0.name == queue }?.waited ?? 0
            page.add(Self.queueWait, Double(waited) / 1000, ["queue": queue])
        }
    }

    // MARK: - Ends

    private static let notifications = Metric(
        "waybill_notifications_total",
        .counter,
        "Notifications whose record is durable, by outcome."
    )
    private static let refusals = Metric(
        "waybill_refusals_total",
        .counter,
        "Answers other than acceptance, by the provider's own word for the reason."
    )
    private static let answers = Metric(
        "waybill_push_duration_seconds",
        .histogram,
        "From the request to the provider's answer."
    )
    private static let logWrites = Metric(
        "waybill_log_write_duration_seconds",
        .histogram,
        "How long a bulk of records took until it was durable."
    )

    private static let storeLag = Metric(
        "waybill_store_majority_lag_seconds",
        .gauge,
        "How far the majority of the store's members is behind its primary, asked every few seconds."
    )
    private static let overdue = Metric(
        "waybill_overdue_record_seconds",
        .gauge,
        "For how long the oldest record should have been removed by the store; 0 when none should."
    )

    private func writeEnds(of lane: String, _ tally: LaneTally, into page: inout MetricsPage) {
        for outcome in Outcome.allCases {
            page.add(Self.notifications, tally.outcomes[outcome], ["lane": lane, "outcome": outcome.rawValue])
        }
        for (reason, count) in tally.refusals.sorted(by: { $0.key < $1.key }) {
            page.add(Self.refusals, count, ["lane": lane, "reason": reason])
        }
        page.add(Self.answers, tally.answers, ["lane": lane])
    }

    // MARK: - Connections

    private static let states = Metric(
        "waybill_lane_state",
        .gauge,
        "1 for the state that the lane is in: open, parked or probing."
    )
    private static let connections = Metric(
        "waybill_lane_connections",
        .gauge,
        "Connections to the provider, by state."
    )
    private static let streams = Metric(
        "waybill_lane_streams",
        .gauge,
        "Requests without an answer yet."
    )
    private static let waiting = Metric(
        "waybill_lane_waiting",
        .gauge,
        "Requests that wait for a stream."
    )
    private static let sent = Metric(
        "waybill_lane_requests_total",
        .counter,
        "Requests put on a stream, resends included."
    )
    private static let resent = Metric(
        "waybill_lane_resends_total",
        .counter,
        "Requests put on a stream again."
    )
    private static let timeouts = Metric(
        "waybill_lane_timeouts_total",
        .counter,
        "Requests that met their deadline without an answer."
    )
    private static let connected = Metric(
        "waybill_lane_connects_total",
        .counter,
        "Connections that became ready."
    )
    private static let failures = Metric(
        "waybill_lane_connection_failures_total",
        .counter,
        "Connections that could not be made, or broke."
    )
    private static let goAways = Metric(
        "waybill_lane_goaways_total",
        .counter,
        "GOAWAY frames of the provider."
    )
    private static let stalls = Metric(
        "waybill_lane_stalls_total",
        .counter,
        "How often requests had to wait, for a stream or for a window."
    )

    private static let certificateEnd = Metric(
        "waybill_lane_certificate_expiry_timestamp_seconds",
        .gauge,
        "The last second in which the lane's certificate is valid, since 1970; only of lanes that have one."
    )

    private func writeConnections(of lane: LaneStatus, _ activity: LaneActivity, into page: inout MetricsPage) {
        let name = lane.name
        for state in LaneStatus.State.allCases {
            page.add(Self.states, lane.state == state ? 1 : 0, ["lane": name, "state": state.rawValue])
        }
        page.add(Self.connections, activity.connectionsOpen, ["lane": name, "state": "open"])
        page.add(Self.connections, activity.connectionsPending, ["lane": name, "state": "pending"])
        page.add(Self.connections, activity.connectionsDraining, ["lane": name, "state": "draining"])
        page.add(Self.streams, activity.streams, ["lane": name])
        page.add(Self.waiting, activity.waiting, ["lane": name])
        page.add(Self.sent, activity.sent, ["lane": name])
        page.add(Self.resent, activity.resent, ["lane": name])
        page.add(Self.timeouts, activity.timeouts, ["lane": name])
        page.add(Self.connected, activity.connected, ["lane": name])
        page.add(Self.failures, activity.connectionFailures, ["lane": name])
        page.add(Self.goAways, activity.goAways, ["lane": name])
        page.add(Self.stalls, activity.streamStalls, ["lane": name, "kind": "stream"])
        page.add(Self.stalls, activity.windowStalls, ["lane": name, "kind": "window"])
    }
}
