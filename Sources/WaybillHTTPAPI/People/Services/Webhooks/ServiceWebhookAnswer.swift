import Hummingbird
import WaybillEncoding
import WaybillOutbox

/// What people's apps are told of webhooks.
enum ServiceWebhookAnswer {
    static func list(_ endpoints: [WebhookEndpoint]) -> Response {
        var json = JSONWriter(capacity: 320 * (endpoints.count + 1))
        json.beginObject()
        json.beginArray("webhooks")
        for endpoint in endpoints {
            json.beginObject()
            members(of: endpoint, &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    static func one(_ endpoint: WebhookEndpoint) -> Response {
        var json = JSONWriter()
        json.beginObject()
        members(of: endpoint, &json)
        json.endObject()
        return Response.json(json.bytes)
    }

    /// One of the two answers that have a secret in them.
    static func made(_ endpoint: WebhookEndpoint, _ secret: WebhookSecret) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("secret", secret.reveal())
        json.beginObject("webhook")
        members(of: endpoint, &json)
        json.endObject()
        json.endObject()
        return Response.json(json.bytes, status: .created)
    }

    /// The other one.
    static func rotated(_ secret: WebhookSecret, formerSignsUntil: Int64) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("secret", secret.reveal())
        json.member("former_signs_until", TimeText.text(milliseconds: formerSignsUntil))
        json.endObject()
        return Response.json(json.bytes, status: .created)
    }

    static func tested(_ event: String) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", event)
        json.endObject()
        return Response.json(json.bytes, status: .accepted)
    }

    static func replayed(_ count: Int) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("events", count)
        json.endObject()
        return Response.json(json.bytes)
    }

    static func shown(_ endpoint: WebhookEndpoint, _ deliveries: [WebhookDelivery]) -> Response {
        var json = JSONWriter(capacity: 512 * (deliveries.count + 1))
        json.beginObject()
        json.beginObject("webhook")
        members(of: endpoint, &json)
        json.endObject()
        json.beginArray("events")
        for delivery in deliveries { element(delivery, &json) }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    private static func members(of endpoint: WebhookEndpoint, _ json: inout JSONWriter) {
        json.member("id", endpoint.id)
        json.member("url", endpoint.url)
        json.member("events", endpoint.events)
        json.member("state", endpoint.isActive ? "active" : "disabled")
        json.member("reason", endpoint.reason)
        json.member("created_by", endpoint.createdBy)
        json.member("created_at", TimeText.text(milliseconds: endpoint.createdAt))
        json.member("last_success", endpoint.lastSuccess.map(TimeText.text(milliseconds:)))
        json.member("failing_since", endpoint.failingSince.map(TimeText.text(milliseconds:)))
        json.member("rest_until", endpoint.restUntil.map(TimeText.text(milliseconds:)))
    }

    private static func element(_ delivery: WebhookDelivery, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("event", delivery.event)
        json.member("type", delivery.type)
        json.member("state", delivery.state.rawValue)
        json.member("created_at", TimeText.text(milliseconds: delivery.createdAt))
        json.member("due", delivery.due.map(TimeText.text(milliseconds:)))
        json.member("attempts", delivery.attempts)
        json.beginArray("log")
        for attempt in delivery.log {
            json.beginObject()
            json.member("at", TimeText.text(milliseconds: attempt.at))
            json.member("ms", attempt.milliseconds)
            json.member("status", attempt.status)
            json.member("error", attempt.error)
            json.endObject()
        }
        json.endArray()
        json.member("answer", delivery.answer)
        json.endObject()
    }
}
