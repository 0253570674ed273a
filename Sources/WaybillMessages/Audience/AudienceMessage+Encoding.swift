import WaybillEncoding

extension AudienceMessage {
    /// The body of its message.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("audience_id", id)
        writer.member("client", client)
        if lanes.count == 1 {
            writer.member("lane", lanes[0])
        } else if !lanes.isEmpty {
            writer.member("lane", lanes)
        }
        writer.member("at", at.map { ($0 + 999) / 1000 })
        writer.member("cancel_key", cancelKey)
        writer.member("per_minute", throttle?.perMinute)
        writer.member("throttle_key", throttle?.key)
        writer.member("content", json: [UInt8(ascii: "{")] + content + [UInt8(ascii: "}")])
        writer.beginObject("select")
        if selection.apps.count == 1 {
            writer.member("app", selection.apps[0])
        } else {
            writer.member("app", selection.apps)
        }
        switch selection.kind {
        case .users(let users): writer.member("users", users)
        case .devices(let devices): writer.member("devices", devices)
        case .filter(let filter): if !filter.isEmpty { Self.append(filter, to: &writer) }
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func append(_ filter: AudienceFilter, to writer: inout JSONWriter) {
        writer.beginObject("filter")
        for (name, values) in [
            ("tags", filter.tags), ("locale", filter.locales), ("time_zone", filter.timeZones),
            ("not_time_zone", filter.otherTimeZones),
        ] as [(StaticString, [String])] where !values.isEmpty {
            writer.member(name, values)
        }
        if filter.versionFrom != nil || filter.versionBelow != nil {
            writer.beginObject("app_version")
            writer.member("from", filter.versionFrom.map(text))
            writer.member("below", filter.versionBelow.map(text))
            writer.endObject()
        }
        if filter.seenSince != nil || filter.seenBefore != nil {
            writer.beginObject("seen")
            writer.member("since", filter.seenSince.map { $0 / 1000 })
            writer.member("before", filter.seenBefore.map { $0 / 1000 })
            writer.endObject()
        }
        writer.endObject()
    }

    private static func text(_ version: [Int]) -> String { version.map(String.init).joined(separator: ".") }
}
