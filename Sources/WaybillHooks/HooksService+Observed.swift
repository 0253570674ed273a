package import WaybillTelemetry
package import WaybillThreads

extension HooksService: ObservedWork {
    package var loops: [LoopWatch] {
        (settings.mail == nil ? [] : [control.watch])
            + (settings.webhooks == nil ? [] : [control.webhooks.logWatch, control.webhooks.senderWatch])
            + (settings.webhooks?.tellsOfReceipts == true ? [control.webhooks.receiptWatch] : [])
    }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        if settings.mail != nil {
            status.checks += [control.store.check(), control.mail.check()]
            status.totals += mailResults.map { ("mails_\($0.name)", $0.count) }
        }
        if settings.webhooks != nil {
            status.checks += [control.webhooks.log.check(), control.webhooks.sender.check()]
            if settings.webhooks?.tellsOfReceipts == true { status.checks.append(control.webhooks.receipts.check()) }
            status.totals += webhookResults.map { ("webhooks_\($0.name)", $0.count) }
            if control.webhooks.counts.gaps > 0 { status.needs.append(Self.gap) }
        }
        return status
    }

    package func measure(into page: inout MetricsPage) {
        if settings.mail != nil {
            for (result, count) in mailResults { page.add(Self.mails, count, ["result": result]) }
            page.set(Self.waiting, Int64(control.waiting))
        }
        if settings.webhooks != nil {
            let (counts, sizes) = (control.webhooks.counts, control.webhooks.sizes)
            for (result, count) in webhookResults { page.add(Self.webhooks, count, ["result": result]) }
            page.add(Self.events, counts.events)
            page.add(Self.gaps, counts.gaps)
            page.set(Self.webhooksWaiting, Int64(sizes.waiting))
            page.set(Self.endpoints, Int64(sizes.active), ["state": "active"])
            page.set(Self.endpoints, Int64(sizes.disabled), ["state": "disabled"])
        }
    }

    private var mailResults: [(name: String, count: Int)] {
        let counts = control.counts
        return [("sent", counts.sent), ("postponed", counts.postponed), ("given_up", counts.givenUp)]
    }

    private var webhookResults: [(name: String, count: Int)] {
        let counts = control.webhooks.counts
        return [
            ("delivered", counts.delivered), ("postponed", counts.postponed), ("given_up", counts.givenUp),
            ("refused_address", counts.refusedAddress),
        ]
    }

    private static let gap =
        "The store had forgotten how far the log was read for webhooks: endpoints miss events "
        + "(waybill webhooks replay --from-log sends them)."

    private static let mails = Metric("waybill_mails_total", .counter, "Attempts to send a mail by what came of them.")
    private static let waiting = Metric(
        "waybill_mails_waiting",
        .gauge,
        "Mails that wait in the outbox, of the whole installation."
    )
    private static let webhooks = Metric(
        "waybill_webhooks_total",
        .counter,
        "Attempts to tell an endpoint something by what came of them."
    )
    private static let events = Metric(
        "waybill_webhook_events_total",
        .counter,
        "Events found in the log, each once for each endpoint that is to hear of it."
    )
    private static let gaps = Metric(
        "waybill_webhook_gaps_total",
        .counter,
        "How often the store had forgotten how far the log was read."
    )
    private static let webhooksWaiting = Metric(
        "waybill_webhooks_waiting",
        .gauge,
        "Events that active endpoints are still to be told, of the whole installation, as of the process that sends."
    )
    private static let endpoints = Metric(
        "waybill_webhook_endpoints",
        .gauge,
        "Endpoints by state, of the whole installation, as of the process that sends."
    )
}
