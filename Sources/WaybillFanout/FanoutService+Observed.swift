import WaybillAudience
import WaybillMessages
package import WaybillTelemetry
package import WaybillThreads

extension FanoutService: ObservedWork {
    package var loops: [LoopWatch] { [control.watch] }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [control.consumer.check(), control.publisher.check(), control.store.check()]
        status.queues = [settings.queues.audience]
        status.inFlight = [("audiences", control.counts.expanding)]
        status.totals = audiences + [("handed_over", control.counts.handedOver)]
        return status
    }

    package func measure(into page: inout MetricsPage) {
        let counts = control.counts
        for (result, count) in audiences { page.add(Self.audiences, count, ["result": result]) }
        page.add(Self.handedOver, counts.handedOver)
        page.add(Self.withoutLane, counts.leftOut.withoutLane)
        page.add(Self.unreadable, counts.unreadableDevices)
        page.add(Self.withoutContent, counts.leftOut.withoutContent)
        page.add(Self.expanding, counts.expanding)
        page.add(Self.repeatedPages, counts.repeatedPages)
    }

    private var audiences: [(name: String, count: Int)] {
        let counts = control.counts
        return [
            ("entered", counts.entered), ("repeated", counts.repeated), ("rejected", counts.rejected),
            ("done", counts.done), ("cancelled", counts.cancelled), ("failed", counts.failed),
        ]
    }

    private static let audiences = Metric(
        "waybill_audiences_total",
        .counter,
        "Audience messages by what became of them, and audiences by how they ended."
    )
    private static let handedOver = Metric(
        "waybill_audience_notifications_total",
        .counter,
        "Notifications of audiences in messages that the broker has."
    )
    private static let withoutLane = Metric(
        "waybill_audience_devices_without_lane_total",
        .counter,
        "Devices of audiences for which no lane is configured."
    )
    private static let unreadable = Metric(
        "waybill_audience_devices_unreadable_total",
        .counter,
        "Devices of audiences whose documents say nothing for certain: a field twice, a text that is not UTF-8, a wrong type."
    )
    private static let withoutContent = Metric(
        "waybill_audience_devices_without_content_total",
        .counter,
        "Devices of audiences for whose provider the audience has no content."
    )
    private static let expanding = Metric(
        "waybill_audiences_expanding",
        .gauge,
        "Audiences that this process expands at the moment."
    )
    private static let repeatedPages = Metric(
        "waybill_audience_pages_repeated_total",
        .counter,
        "Pages published once more, because nobody knew whether the broker had them."
    )
}
