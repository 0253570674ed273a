import WaybillCore
import WaybillEncoding

/// What is known of a producer's `Message` object before it is sent; places count from the body's start.
struct FCMPayloadFacts {
    var kind = FCMMessageKind.data
    /// As `android.priority` says; `nil` where it says nothing, or nothing that is known here.
    var priority: PriorityClass?
    var hasLife = false
    var hasCollapseKey = false
    /// The collapse key as it stands; `nil` for one with escapes.
    var collapseKey: ItemReader.Text?
    /// Behind the brace of `android`.
    var androidPlace: Int?
    var isAndroidEmpty = true
    /// Behind the brace of `data`.
    var dataPlace: Int?
    /// The object has no member.
    var isEmpty = true
    /// Bytes of the keys and values of `data` and `notification`, unescaped.
    var size = 0
}

/// Examines a producer's `Message` object (Google, `projects.messages`): what Google documents, and nothing that only FCM can
/// know.
///
/// Fields and words that are not known here pass; no name of the object itself is there twice (``ItemReader/content(of:)``).
struct FCMPayloadReader {
    let reader: ItemReader

    func read(_ range: Range<Int>) throws(ItemFault) -> FCMPayloadFacts {
        var facts = FCMPayloadFacts()
        try reader.forEachMember(in: range) { (name, value) throws(ItemFault) in
            facts.isEmpty = false
            for target: StaticString in ["token", "fid", "topic", "condition"] where reader.isName(name, target) {
                throw fault("must name no target (token, fid, topic, condition): device_token says whom it is for")
            }
            if reader.isName(name, "aps") {
                throw fault("has aps, which is of APNs: a message of FCM has data, notification and android")
            } else if reader.isName(name, "data") {
                facts.dataPlace = value.range.lowerBound + 1
                try readData(value, &facts)
            } else if reader.isName(name, "notification") {
                facts.kind = .notification
                guard value.kind == .object else { throw fault("must have an object as notification") }
                try reader.requireNamesOnce(value)
                try reader.forEachMember(in: value.range) { (name, value) throws(ItemFault) in
                    facts.size += length(name) + length(value)
                }
            } else if reader.isName(name, "android") {
                facts.androidPlace = value.range.lowerBound + 1
                try readAndroid(value, &facts)
            } else if reader.isName(name, "fcm_options") {
                try readOptions(value)
            }
        }
        return facts
    }

    // MARK: - Parts

    private func readData(_ data: JSONValue, _ facts: inout FCMPayloadFacts) throws(ItemFault) {
        guard data.kind == .object else { throw fault("must have an object as data") }
        try reader.requireNamesOnce(data)
        try reader.forEachMember(in: data.range) { (name, value) throws(ItemFault) in
            guard value.kind == .string else { throw fault("must have strings alone as values of data") }
            guard !isReserved(name) else {
                throw fault("has a key of FCM's in data: from, message_type, google.… and gcm.… are its own")
            }
            guard !hasPrefix(name, FCMDataKey.prefix) else {
                throw fault("has a key of Waybill's in data: those that begin with wb_ are its own")
            }
            facts.size += length(name) + length(value)
        }
    }

    private func readAndroid(_ android: JSONValue, _ facts: inout FCMPayloadFacts) throws(ItemFault) {
        guard android.kind == .object else { throw fault("must have an object as android") }
        try reader.requireNamesOnce(android)
        try reader.forEachMember(in: android.range) { (name, value) throws(ItemFault) in
            facts.isAndroidEmpty = false
            if reader.isName(name, "data") {
                // It would take the place of `data`, and of our id with it.
                throw fault("must have its data beside android, not in it: there it would replace wb_id")
            } else if reader.isName(name, "notification") {
                facts.kind = .notification
            } else if reader.isName(name, "priority") {
                facts.priority = priority(value)
            } else if reader.isName(name, "ttl") {
                facts.hasLife = true
                guard isLife(value) else {
                    throw fault("must have an android.ttl such as \"3600s\", from \"0s\" to \"2419200s\"")
                }
            } else if reader.isName(name, "collapse_key") || reader.isName(name, "collapseKey") {
                facts.hasCollapseKey = true
                guard value.kind == .string else { throw fault("must have a string as android.collapse_key") }
                if !value.hasEscapes { facts.collapseKey = ItemReader.Text(range: value.stringRange) }
            } else if reader.isName(name, "fcm_options") {
                try readOptions(value)
            }
        }
    }

    private func readOptions(_ options: JSONValue) throws(ItemFault) {
        guard options.kind == .object else { throw fault("must have an object as fcm_options") }
        try reader.requireNamesOnce(options)
        try reader.forEachMember(in: options.range) { (name, value) throws(ItemFault) in
            guard reader.isName(name, "analytics_label") || reader.isName(name, "analyticsLabel") else { return }
            let text = UnsafeBufferPointer(rebasing: reader.bytes[value.range])
            guard value.kind == .string, (3...52).contains(text.count),
                text.dropFirst().dropLast().allSatisfy(isLabelByte)
            else { throw fault("must have 1 to 50 letters, digits and -_.~% as analytics_label") }
        }
    }

    // MARK: - Values

    private func priority(_ value: JSONValue) -> PriorityClass? {
        guard value.kind == .string else { return nil }
        // Small letters are taken, too.
        return switch String(decoding: reader.bytes[value.stringRange], as: UTF8.self).uppercased() {
        case "HIGH": .high
        case "NORMAL": .normal
        default: nil
        }
    }

    /// A proto Duration: seconds with at most nine decimals, and an s.
    private func isLife(_ value: JSONValue) -> Bool {
        guard value.kind == .string else { return false }
        let text = String(decoding: reader.bytes[value.stringRange], as: UTF8.self)
        guard text.hasSuffix("s") else { return false }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }),
            let seconds = Int(parts[0]), parts.count == 1 || parts[1].count <= 9
        else { return false }
        let hasRest = parts.count == 2 && parts[1].contains { $0 != "0" }
        return seconds < FCMLimits.longestLife || seconds == FCMLimits.longestLife && !hasRest
    }

    /// Whether a key of `data` is one of FCM's own.
    func isReserved(_ name: JSONValue) -> Bool {
        reader.isName(name, "from") || reader.isName(name, "message_type") || hasPrefix(name, "google.")
            || hasPrefix(name, "gcm.")
    }

    private func hasPrefix(_ name: JSONValue, _ prefix: StaticString) -> Bool {
        reader.unescaped(name).starts(
            with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        )
    }

    /// Bytes of a text, unescaped; of any other value those of its JSON.
    private func length(_ value: JSONValue) -> Int {
        guard value.kind == .string else { return value.range.count }
        return value.hasEscapes ? reader.unescaped(value).count : value.stringRange.count
    }

    private func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x2E, 0x7E, 0x25: true
        default: false
        }
    }

    private func fault(_ requirement: StaticString) -> ItemFault {
        ItemFault(.payload, .must(requirement))
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
