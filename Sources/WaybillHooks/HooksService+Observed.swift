package import WaybillTelemetry
package import WaybillThreads

extension HooksService: ObservedWork {
    package var loops: [LoopWatch] { [control.watch] }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [control.store.check(), control.mail.check()]
        status.totals = results.map { ("mails_\($0.name)", $0.count) }
        return status
    }

    package func measure(into page: inout MetricsPage) {
        for (result, count) in results { page.add(Self.mails, count, ["result": result]) }
        page.set(Self.waiting, Int64(control.waiting))
    }

    private var results: [(name: String, count: Int)] {
        let counts = control.counts
        return [("sent", counts.sent), ("postponed", counts.postponed), ("given_up", counts.givenUp)]
    }

    private static let mails = Metric("waybill_mails_total", .counter, "Attempts to send a mail by what came of them.")
    private static let waiting = Metric(
        "waybill_mails_waiting",
        .gauge,
        "Mails that wait in the outbox, of the whole installation."
    )
}
