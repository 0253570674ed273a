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
        let counts = control.counts
        page.add(Self.unproven, counts.unproven)
        page.add(Self.blown, counts.blown)
        page.add(Self.takenBack, counts.takenBack)
        page.add(Self.decided, counts.released, ["decision": "released"])
        page.add(Self.decided, counts.dropped, ["decision": "discarded"])
        page.set(Self.areBlown, Int64(control.blownFuses.count))
        for (name, count) in held { page.set(Self.held, Int64(count), ["lane": name.lane, "app": name.app]) }
    }

    /// Held events of the lanes that are known, and of those whose fuse has ever blown.
    var held: [FuseName: Int] {
        let known = Dictionary(settings.knownFuses.map { ($0, 0) }) { first, _ in first }
        return control.fuses.reduce(into: known) { $0[$1.name] = $1.held }
    }

    /// Events by what became of them.
    private var results: [(name: String, count: Int)] {
        let counts = control.counts
        return [
            ("disabled", counts.registry.disabled), ("tombstoned", counts.registry.tombstoned),
            ("suspected", counts.registry.suspected), ("newer_registration", counts.registry.newerRegistration),
            ("already", counts.registry.already), ("unknown_device", counts.registry.unknownDevice),
            ("not_believed", counts.notBelieved),
            ("malformed", counts.malformed), ("held", counts.held), ("discarded", counts.discarded),
        ]
    }

    private static let events = Metric(
        "waybill_invalid_tokens_total",
        .counter,
        "Invalid-token events by what became of them."
    )
    private static let blown = Metric(
        "waybill_prune_fuse_blows_total",
        .counter,
        "How often this process has found that far too many tokens of a lane were called dead or wrong."
    )
    private static let areBlown = Metric(
        "waybill_prune_fuses_blown",
        .gauge,
        "Of how many lanes and apps events are held until a person decides; every process says the same."
    )
    private static let held = Metric(
        "waybill_prune_held_events",
        .gauge,
        "Events that are held, of each configured lane, and of lanes and apps whose fuse has ever blown; every process says the same."
    )
    private static let takenBack = Metric(
        "waybill_prune_taken_back_total",
        .counter,
        "Devices that were enabled again, and tombstones that were taken out, because a fuse blew after they had been disabled."
    )
    private static let decided = Metric(
        "waybill_prune_decided_events_total",
        .counter,
        "Held events that a person has released or discarded."
    )
    private static let unproven = Metric(
        "waybill_invalid_tokens_unproven_total",
        .counter,
        "Those of them that the delivery log knows nothing of; they make suspects only."
    )
}
