import WaybillNotifications
package import WaybillTelemetry
package import WaybillThreads

extension ScheduleService: ObservedWork {
    package var loops: [LoopWatch] { [control.watch] }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [control.broker.check(), control.store.check()]
        status.totals = results
        if let first = control.unfollowed.first {
            let others = control.unfollowed.count > 1 ? " (and \(control.unfollowed.count - 1) more)" : ""
            let name = first.name.isEmpty ? "a document" : first.name
            status.troubles.append(
                Trouble(
                    .documentUnfollowed,
                    "a notification is neither sent nor ended: \(name), \(first.reason)\(others)",
                    advice: Self.unfollowedAdvice
                )
            )
        }
        return status
    }

    package func measure(into page: inout MetricsPage) {
        for (result, count) in results { page.add(Self.notifications, count, ["result": result]) }
        let counts = control.counts
        page.add(Self.repeats, counts.unacknowledged)
        page.add(Self.acknowledged, counts.acknowledged)
    }

    private static let unfollowedAdvice =
        "Remove the field state of the document in the collection notifications for it to be sent, or remove the document; see who else may "
        + "write there. One of a newer release may look like this, too: start all processes in one release."

    private var results: [(name: String, count: Int)] {
        let counts = control.counts
        return [
            ("handed_over", counts.handedOver), ("repeated", counts.repeated), ("taken_over", counts.takenOver),
            ("refused", counts.refused), ("sent", counts.sent), ("failed", counts.failed),
            ("cancelled", counts.cancelled),
        ]
    }

    private static let repeats = Metric(
        "waybill_repeats_total",
        .counter,
        "Notifications that were sent again because nobody had acknowledged them."
    )
    private static let acknowledged = Metric(
        "waybill_repeats_acknowledged_total",
        .counter,
        "Notifications that are not sent again any more because somebody has acknowledged them."
    )
    private static let notifications = Metric(
        "waybill_posted_notifications_total",
        .counter,
        "Documents of the collection notifications by what the schedule did with them, and by how they ended."
    )
}
