import WaybillEncoding

extension Device {
    /// One JSON object without a line break: the fields that are there, by their names, dates in RFC 3339.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("provider", provider)
        writer.member("app", app)
        writer.member("environment", environment)
        writer.member("token", token)
        writer.member("kind", kind)
        writer.member("device", device)
        writer.member("user", user)
        writer.member("tags", tags.isEmpty ? nil : tags)
        writer.member("locale", locale)
        writer.member("time_zone", timeZone)
        writer.member("app_version", appVersion)
        writer.member("client", client)
        writer.member("registered_at", Self.text(registeredAt))
        writer.member("seen_at", Self.text(seenAt))
        writer.name("enabled")
        writer.element(isEnabled)
        writer.member("disabled_at", Self.text(disabledAt))
        writer.member("disabled_reason", disabledReason)
        writer.member("invalid_since", Self.text(invalidSince))
        writer.member("suspected_at", Self.text(suspectedAt))
        writer.member("suspected_reason", suspectedReason)
        if !history.isEmpty {
            writer.beginArray("history")
            for event in history {
                writer.beginObject()
                writer.member("at", Self.text(event.at))
                writer.member("event", event.event)
                writer.member("reason", event.reason)
                writer.member("successor", event.successor)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func text(_ milliseconds: Int64?) -> String? { milliseconds.map(TimeText.text(milliseconds:)) }
}
