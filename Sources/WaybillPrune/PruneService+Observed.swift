import WaybillDeviceRegistry
import WaybillMessages
package import WaybillTelemetry
package import WaybillThreads

extension PruneService: ObservedWork {
    package var loops: [LoopWatch] { [control.watch] }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [control.consumer.check(), control.store.check()]
        status.queues = [settings.queues.invalidTokens]
        status.totals = results
        return status
    }

    package func measure(into page: inout MetricsPage) {
        for (result, count) in results { page.add(Self.events, count, ["result": result]) }
        page.add(Self.unproven, control.counts.unproven)
    }

    /// Events by what became of them.
    private var results: [(name: String, count: Int)] {
        let counts = control.counts
        return [
            ("disabled", counts.registry.disabled), ("tombstoned", counts.registry.tombstoned),
            ("suspected", counts.registry.suspected), ("newer_registration", counts.registry.newerRegistration),
            ("already", counts.registry.already), ("unknown_device", counts.registry.unknownDevice),
            ("not_believed", counts.notBelieved),
            ("malformed", counts.malformed),
        ]
    }

    private static let events = Metric(
        "waybill_invalid_tokens_total",
        .counter,
        "Invalid-token events by what became of them."
    )
    private static let unproven = Metric(
        "waybill_invalid_tokens_unproven_total",
        .counter,
        "Those of them that the delivery log knows nothing of; they make suspects only."
    )
}
