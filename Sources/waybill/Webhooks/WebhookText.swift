import WaybillEncoding
import WaybillOutbox

/// Endpoints and what they were told, for programs and for people.
enum WebhookText {
    static func object(_ endpoint: WebhookEndpoint) -> JSONObject {
        var object = JSONObject()
        object.add("id", endpoint.id)
        object.add("client", endpoint.owner.clientName)
        object.add("service", endpoint.owner.serviceID)
        object.add("url", endpoint.url)
        object.add("events", endpoint.events)
        object.add("state", endpoint.isActive ? "active" : "disabled")
        object.add("reason", endpoint.reason)
        object.add("created_at", TimeText.text(milliseconds: endpoint.createdAt))
        object.add("created_by", endpoint.createdBy)
        object.add("last_success", endpoint.lastSuccess.map(TimeText.text(milliseconds:)))
        object.add("failing_since", endpoint.failingSince.map(TimeText.text(milliseconds:)))
        object.add("rest_until", endpoint.restUntil.map(TimeText.text(milliseconds:)))
        return object
    }

    static func object(_ delivery: WebhookDelivery) -> JSONObject {
        var object = JSONObject()
        object.add("event", delivery.event)
        object.add("type", delivery.type)
        object.add("state", delivery.state.rawValue)
        object.add("created_at", TimeText.text(milliseconds: delivery.createdAt))
        object.add("due", delivery.due.map(TimeText.text(milliseconds:)))
        object.add("attempts", delivery.attempts)
        object.add(
            "log",
            delivery.log.map { attempt in
                var entry = JSONObject()
                entry.add("at", TimeText.text(milliseconds: attempt.at))
                entry.add("ms", attempt.milliseconds)
                entry.add("status", attempt.status)
                entry.add("error", attempt.error)
                return entry
            }
        )
        object.add("answer", delivery.answer)
        return object
    }

    /// What came of the last attempt; empty before the first.
    static func last(_ delivery: WebhookDelivery) -> String {
        guard let attempt = delivery.log.last else { return "" }
        return attempt.status.map { "answered \($0)" } ?? attempt.error ?? ""
    }

    static func state(_ endpoint: WebhookEndpoint) -> String {
        guard endpoint.isActive else { return "disabled: \(endpoint.reason ?? "")" }
        return endpoint.failingSince.map { "failing since \(minute($0))" } ?? "active"
    }

    /// A time without seconds, for tables.
    static func minute(_ milliseconds: Int64?) -> String {
        milliseconds.map { String(DeliveryClock.text($0).prefix(16)) } ?? ""
    }
}
