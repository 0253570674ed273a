import WaybillEncoding
import WaybillFleet
import WaybillMongo

/// The state of an installation for programs.
package enum StatusJSON {
    package static func text(of state: InstallationState) -> String {
        let health = state.health
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("grade", "\(health.grade)")
        json.member("at", TimeText.text(milliseconds: state.now))
        json.beginArray("findings")
        for finding in health.findings { finding.write(to: &json) }
        json.endArray()
        write(broker: state, to: &json)
        write(state.store, to: &json)
        json.beginArray("processes")
        for lease in state.leases {
            json.beginObject()
            json.member("role", lease.role)
            json.member("host", lease.host)
            json.member("pid", lease.process)
            json.member("version", lease.version)
            json.member("started", TimeText.text(milliseconds: lease.started))
            json.member("seen", TimeText.text(milliseconds: lease.seen))
            if state.isPast(lease) { json.memberTrue("ended") }
            if !lease.isEnded, FleetHealth.isSilent(lease, now: state.now) { json.memberTrue("silent") }
            json.member("status", json: lease.status)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(broker state: InstallationState, to json: inout JSONWriter) {
        guard case .success(let broker) = state.broker else { return }
        json.beginObject("broker")
        json.beginArray("queues")
        for queue in broker.consumed {
            json.beginObject()
            json.member("name", queue.name)
            json.member("ready", queue.messages)
            json.member("consumers", queue.consumers)
            json.member("consumers_by_dispatchers", state.mostConsumers(of: queue.name))
            if case .byQueue(let counts) = state.unacknowledged {
                json.member("unacknowledged", counts[queue.name] ?? 0)
            }
            if queue.messages > 0, let wait = state.longestWait(in: queue.name) {
                json.member("oldest_seconds_at_most", wait.components.seconds)
            }
            json.endObject()
        }
        json.endArray()
        if case .reported(let count) = state.unacknowledged { json.member("unacknowledged_by_dispatchers", count) }
        json.member("delayed", broker.delayed)
        json.member("rejected", broker.rejected)
        json.member("invalid_tokens", broker.tokenEvents)
        json.member("audiences", broker.audiences)
        if state.brokerIsBlocked { json.memberTrue("blocked") }
        switch broker.management {
        case nil: break
        case .success(let report):
            json.beginArray("alarms")
            for alarm in report.alarms { json.element(lineSafe: alarm) }
            json.endArray()
            json.beginArray("missing_nodes")
            for node in report.missingNodes { json.element(lineSafe: node) }
            json.endArray()
        case .failure(let failure): json.member("management_error", lineSafe: failure.description)
        }
        json.endObject()
    }

    private static func write(_ store: Result<InstallationState.Store, some Error>, to json: inout JSONWriter) {
        guard case .success(let store) = store else { return }
        json.beginObject("store")
        if case .replicaSet(let name, let members, let hasPrimary) = store.deployment {
            json.member("replica_set", name)
            json.member("members", members)
            json.name("primary")
            json.element(hasPrimary)
        }
        json.member("majority_lag_seconds", store.lag?.components.seconds)
        json.member("records", store.records)
        json.member("next_expiry", store.nextExpiry.map { TimeText.text(milliseconds: $0) })
        json.endObject()
    }
}
