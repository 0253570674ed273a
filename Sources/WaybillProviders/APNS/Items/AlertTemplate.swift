import WaybillEncoding

/// The payload around a message's text, made from the interactions (Apple: "Generating a remote notification").
struct AlertTemplate {
    var prefix: [UInt8]
    var suffix: [UInt8]
}

extension APNSItemBuilder {
    /// Writes the interactions that a notification asks for, or that the defaults do.
    ///
    /// - Parameters:
    ///   - own: its members.
    ///   - asksReceipt: whether the app's extension is to run, which answers.
    /// - Returns: what goes around the text.
    /// - Throws: what is wrong with one of them.
    mutating func makeAlertTemplate(own: Members, asksReceipt: Bool) throws(ItemFault) -> AlertTemplate {
        var prefix = Array("{\"aps\":{\"alert\":".utf8)
        var end = Array("\"".utf8)
        let title = reader.setting(.title, own: own)
        let subtitle = reader.setting(.subtitle, own: own)
        if title != nil || subtitle != nil {
            prefix += "{".utf8
            if let title { try appendString("\"title\":", title, ",", to: &prefix) }
            if let subtitle { try appendString("\"subtitle\":", subtitle, ",", to: &prefix) }
            prefix += "\"body\":".utf8
            end += "}".utf8
        }
        prefix += "\"".utf8
        try appendBadgeAndSound(own: own, to: &end)
        try appendTexts(own: own, to: &end)
        try appendFlags(own: own, asksReceipt: asksReceipt, to: &end)
        end += "}}".utf8
        return AlertTemplate(prefix: prefix, suffix: end)
    }

    private mutating func appendBadgeAndSound(own: Members, to json: inout [UInt8]) throws(ItemFault) {
        if let badge = reader.setting(.badge, own: own) {
            guard let number = reader.integer(of: badge), 0...2_147_483_647 ~= number else {
                throw badge.fault(.must("must be a number from 0 to 2147483647"))
            }
            json += ",\"badge\":\(number)".utf8
        }
        guard let sound = reader.setting(.sound, own: own) else { return }
        if sound.value.kind == .object {
            guard !sound.value.hasLoneSurrogate else { throw sound.fault(.must("holds half of a surrogate pair")) }
            // A critical alert's sound: passed as it stands, like a payload.
            json += ",\"sound\":".utf8
            json += reader.bytes[sound.value.range]
        } else {
            guard sound.value.kind == .string else { throw sound.fault(.must("must be a string or an object")) }
            try appendString(",\"sound\":", sound, "", to: &json)
        }
    }

    private mutating func appendTexts(own: Members, to json: inout [UInt8]) throws(ItemFault) {
        let texts: [(Field, StaticString)] = [
            (.category, ",\"category\":"), (.threadID, ",\"thread-id\":"),
            (.targetContentID, ",\"target-content-id\":"),
        ]
        for (field, key) in texts {
            if let setting = reader.setting(field, own: own) { try appendString(key, setting, "", to: &json) }
        }
        guard let level = reader.setting(.interruptionLevel, own: own) else { return }
        let text = try reader.text(of: level)
        let isKnown = reader.withBytes(text) { bytes in Self.interruptionLevels.contains { $0.hasBytes(bytes) } }
        guard isKnown else { throw level.fault(.must("must be passive, active, time-sensitive or critical")) }
        try appendString(",\"interruption-level\":", level, "", to: &json)
    }

    private static let interruptionLevels: [StaticString] = ["passive", "active", "time-sensitive", "critical"]

    private func appendFlags(own: Members, asksReceipt: Bool, to json: inout [UInt8]) throws(ItemFault) {
        if let flag = reader.setting(.contentAvailable, own: own), try isSet(flag) {
            json += ",\"content-available\":1".utf8
        }
        var isMutable = asksReceipt
        if let flag = reader.setting(.mutableContent, own: own) {
            isMutable = try isSet(flag)
            if asksReceipt, !isMutable { throw flag.fault(.must("must be true where a receipt is asked for")) }
        }
        if isMutable { json += ",\"mutable-content\":1".utf8 }
        guard let score = reader.setting(.relevanceScore, own: own) else { return }
        let number = UnsafeBufferPointer(rebasing: reader.bytes[score.value.range])
        guard score.value.kind == .number, let value = JSONNumber.double(number), 0...1 ~= value else {
            throw score.fault(.must("must be a number from 0 to 1"))
        }
        json += ",\"relevance-score\":".utf8
        json += number
    }

    /// `true` and Apple's own 1, `false` and 0.
    private func isSet(_ flag: Setting) throws(ItemFault) -> Bool {
        switch (flag.value.kind, reader.integer(of: flag)) {
        case (.true, _), (.number, 1?): return true
        case (.false, _), (.number, 0?): return false
        default: throw flag.fault(.must("must be true or false"))
        }
    }

    private mutating func appendString(
        _ key: StaticString,
        _ setting: Setting,
        _ end: StaticString,
        to json: inout [UInt8]
    ) throws(ItemFault) {
        let text = try reader.text(of: setting)
        json += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        reader.withBytes(text) { JSONText.appendString($0, to: &json) }
        json += UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
    }
}
