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
        let type = try reader.deliveryType(own: own)
        try appendBadge(own: own, to: &end)
        try appendSound(own: own, type, to: &end)
        try appendTexts(own: own, to: &end)
        try appendInterruptionLevel(own: own, type, to: &end)
        try appendFlags(own: own, type, asksReceipt: asksReceipt, to: &end)
        end += "}".utf8
        try appendData(own: own, to: &end)
        end += "}".utf8
        return AlertTemplate(prefix: prefix, suffix: end)
    }

    private func appendBadge(own: Members, to json: inout [UInt8]) throws(ItemFault) {
        guard let badge = reader.setting(.badge, own: own) else { return }
        guard let number = reader.integer(of: badge), 0...2_147_483_647 ~= number else {
            throw badge.fault(.must("must be a number from 0 to 2147483647"))
        }
        json += ",\"badge\":\(number)".utf8
    }

    private mutating func appendSound(
        own: Members,
        _ type: DeliveryType?,
        to json: inout [UInt8]
    ) throws(ItemFault) {
        guard let sound = reader.setting(.sound, own: own) else {
            if type == .critical { json += Self.criticalSound("\"default\"".utf8) }
            return
        }
        switch sound.value.kind {
        case .object:
            guard !sound.value.hasLoneSurrogate else { throw sound.fault(.must("holds half of a surrogate pair")) }
            try reader.requireNamesOnce(sound.value, of: sound)
            if let type { try examine(sound, for: type) }
            // A critical alert's sound: passed as it stands, like a payload.
            json += ",\"sound\":".utf8
            json += reader.bytes[sound.value.range]
        case .string:
            guard type == .critical else { return try appendString(",\"sound\":", sound, "", to: &json) }
            var name: [UInt8] = []
            try appendString("", sound, "", to: &name)
            json += Self.criticalSound(name)
        default: throw sound.fault(.must("must be a string or an object"))
        }
    }

    /// A sound that is heard though the phone is muted, as loud as can be (Apple, "Generating a remote notification").
    private static func criticalSound(_ name: some Sequence<UInt8>) -> [UInt8] {
        Array(",\"sound\":{\"critical\":1,\"name\":".utf8) + name + Array(",\"volume\":1.0}".utf8)
    }

    /// A sound dictionary is of critical alerts alone.
    private func examine(_ sound: Setting, for type: DeliveryType) throws(ItemFault) {
        var isCritical = false
        var isLoudnessGood = true
        try reader.forEachMember(in: sound.value.range) { (name, value) throws(ItemFault) in
            let number = UnsafeBufferPointer(rebasing: reader.bytes[value.range])
            if reader.isName(name, "critical") {
                isCritical = value.kind == .number && JSONNumber.integer(number) == 1
            } else if reader.isName(name, "volume") {
                isLoudnessGood =
                    value.kind == .number && JSONNumber.double(number).map { (0...1).contains($0) } ?? false
            }
        }
        guard isLoudnessGood else { throw sound.fault(.must("must have a volume from 0 to 1")) }
        guard isCritical == (type == .critical) else {
            throw sound.fault(.must("must have critical 1 if delivery_type is critical, and else be a name"))
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
    }

    private mutating func appendInterruptionLevel(
        own: Members,
        _ type: DeliveryType?,
        to json: inout [UInt8]
    ) throws(ItemFault) {
        guard let level = reader.setting(.interruptionLevel, own: own) else {
            switch type {
            case .critical: json += ",\"interruption-level\":\"critical\"".utf8
            case .timeSensitive: json += ",\"interruption-level\":\"time-sensitive\"".utf8
            case .silent, .normal, nil: break
            }
            return
        }
        let text = try reader.text(of: level)
        let known = reader.withBytes(text) { bytes in Self.interruptionLevels.first { $0.hasBytes(bytes) } }
        guard let known else { throw level.fault(.must("must be passive, active, time-sensitive or critical")) }
        guard type.map({ Self.levels(of: $0).contains("\(known)") }) ?? true else {
            throw level.fault(.must("must be left out beside delivery_type, or be a level of that type"))
        }
        try appendString(",\"interruption-level\":", level, "", to: &json)
    }

    private static func levels(of type: DeliveryType) -> [String] {
        switch type {
        case .silent: []
        case .normal: ["passive", "active"]
        case .timeSensitive: ["time-sensitive"]
        case .critical: ["critical"]
        }
    }

    private static let interruptionLevels: [StaticString] = ["passive", "active", "time-sensitive", "critical"]

    private func appendFlags(
        own: Members,
        _ type: DeliveryType?,
        asksReceipt: Bool,
        to json: inout [UInt8]
    ) throws(ItemFault) {
        if let flag = reader.setting(.contentAvailable, own: own), try isSet(flag) {
            json += ",\"content-available\":1".utf8
        }
        // A critical alert passes the app's extension, which can tell that it has arrived.
        var isMutable = asksReceipt || type == .critical
        if let flag = reader.setting(.mutableContent, own: own) {
            isMutable = try isSet(flag)
            if asksReceipt, !isMutable { throw flag.fault(.must("must be true where a receipt is asked for")) }
        }
        if isMutable { json += ",\"mutable-content\":1".utf8 }
        guard let score = reader.setting(.relevanceScore, own: own) else {
            if type == .critical { json += ",\"relevance-score\":1.0".utf8 }
            return
        }
        let number = UnsafeBufferPointer(rebasing: reader.bytes[score.value.range])
        guard score.value.kind == .number, let value = JSONNumber.double(number), 0...1 ~= value else {
            throw score.fault(.must("must be a number from 0 to 1"))
        }
        json += ",\"relevance-score\":".utf8
        json += number
    }

    /// What is for the app stands beside `aps`, byte for byte.
    private func appendData(own: Members, to json: inout [UInt8]) throws(ItemFault) {
        guard let data = reader.setting(.data, own: own) else { return }
        let members = try reader.dataMembers(of: data)
        guard !members.isEmpty else { return }
        json.append(UInt8(ascii: ","))
        json += reader.bytes[data.value.range.dropFirst().dropLast()]
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
