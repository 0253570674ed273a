/// Reads what an export says of a device besides its registration.
extension DeviceForm {
    /// Whether it says what an export alone says.
    var isExported: Bool {
        isEnabled != nil || history != nil || Self.exported.contains { texts[$0] != nil }
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970; what was seen later than ``DeviceLimits/clockSkew`` from now is a fault.
    ///   - time: reads a time.
    /// - Returns: `nil` where nothing of it is said.
    /// - Throws: ``DeviceFault``, never with the value.
    func restoration(now: Int64, time: (String) -> Int64?) throws(DeviceFault) -> DeviceRestoration? {
        guard isExported else { return nil }
        var restoration = DeviceRestoration()
        restoration.life.isEnabled = isEnabled ?? true
        restoration.life.seenAt = try date("seen_at", time)
        if let seenAt = restoration.life.seenAt, seenAt - now > DeviceLimits.clockSkew {
            throw DeviceFault(field: "seen_at", reason: "is yet to come")
        }
        restoration.life.disabledAt = try date("disabled_at", time)
        restoration.life.disabledReason = try text("disabled_reason", DeviceLimits.nameCharacters)
        restoration.life.invalidSince = try date("invalid_since", time)
        restoration.life.suspectedAt = try date("suspected_at", time)
        restoration.life.suspectedReason = try text("suspected_reason", DeviceLimits.nameCharacters)
        for event in history ?? [] { restoration.history.append(try Self.event(event, time)) }
        guard restoration.history.count <= DeviceLimits.history else {
            throw DeviceFault(field: "history", reason: "has more than \(DeviceLimits.history) events")
        }
        return restoration
    }

    private func date(_ field: String, _ time: (String) -> Int64?) throws(DeviceFault) -> Int64? {
        guard let said = texts[field] else { return nil }
        guard let date = time(said) else { throw DeviceFault(field: field, reason: "is no time") }
        return date
    }

    private static func event(
        _ said: [String: String],
        _ time: (String) -> Int64?
    ) throws(DeviceFault) -> DeviceHistoryEvent {
        guard let at = said["at"].flatMap(time) else {
            throw DeviceFault(field: "history", reason: "has an event whose at is no time")
        }
        guard let name = said["event"], said.keys.allSatisfy(["at", "event", "reason", "successor"].contains),
            said.values.allSatisfy({ isText($0, DeviceLimits.nameCharacters) })
        else {
            throw DeviceFault(
                field: "history",
                reason:
                    "has events of at and event, and maybe reason and successor, of 1 to \(DeviceLimits.nameCharacters) characters"
            )
        }
        var event = DeviceHistoryEvent(at: at, kind: .disabled, reason: said["reason"], successor: said["successor"])
        event.event = name
        return event
    }
}
