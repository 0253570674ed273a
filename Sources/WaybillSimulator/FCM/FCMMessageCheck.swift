/// Judges the body of `messages:send` as strictly as Google's reference has it; pure.
package enum FCMMessageCheck {
    /// What a good body asks for.
    package struct Message: Hashable, Sendable {
        /// A registration token or an installation id; `nil` for a topic or a condition.
        package let device: String?
        /// What rules go by: the device, `/topics/<name>`, or the condition.
        package let target: String
        package let isForInstallation: Bool
        package let isValidatedOnly: Bool
        /// How long it is kept for a phone that cannot be reached.
        package var lifetime = Duration.seconds(2_419_200)
        /// A newer message with the same key replaces it while it is kept.
        package var collapseKey: String?
        /// Whether the system shows it; such a message is always collapsible.
        package var isNotification = false
    }

    /// What is wrong with a body.
    package struct Problem: Error, Hashable, Sendable {
        package let message: String
        package let field: String?
        /// Whether FCM itself has looked; before that, the JSON reader has refused.
        package let isOfFCM: Bool

        static func json(_ message: String, _ field: String? = nil) -> Problem {
            Problem(message: message, field: field, isOfFCM: false)
        }

        static func fcm(_ message: String, _ field: String? = nil) -> Problem {
            Problem(message: message, field: field, isOfFCM: true)
        }
    }

    private static let fields: Set<String> = [
        "token", "fid", "topic", "condition", "data", "notification", "android", "webpush", "apns", "android_v2",
        "fcm_options", "name",
    ]
    private static let androidFields: Set<String> = [
        "collapse_key", "priority", "ttl", "direct_boot_ok", "restricted_package_name", "data", "notification",
        "fcm_options", "bandwidth_constrained_ok", "restricted_satellite_ok",
    ]
    private static let notificationFields: Set<String> = ["title", "body", "image"]
    /// Keys and values of data and notification together.
    private static let maximumSize = 4096
    private static let maximumLife = 2_419_200.0

    /// Judges a body.
    package static func judge(_ body: [UInt8]) throws(Problem) -> Message {
        let document: JSONValue
        do {
            document = try JSONParser.parse(body, lastDuplicateWins: true)
        } catch {
            throw .json("Invalid JSON payload received. \(error.problem)")
        }
        guard case .object(let members) = document else {
            throw .json("Invalid JSON payload received. Root element must be a message.")
        }
        for member in members where !["message", "validate_only", "validateOnly"].contains(member.name) {
            throw unknown(member.name, "")
        }
        let message = try object(document["message"], "message")
        guard let message else { throw .fcm("Request contains an invalid argument.", "message") }
        var isValidatedOnly = false
        switch document["validate_only"] ?? document["validateOnly"] {
        case nil: break
        case .bool(let flag): isValidatedOnly = flag
        case .some: throw .json("Invalid value at 'validate_only' (TYPE_BOOL)", "validate_only")
        }
        try judgeNames(message, fields, "message")
        let size =
            try judgeData(message["data"], "message.data") + judgeNotification(message["notification"])
            + judgeAndroid(object(message["android"], "message.android"))
        guard size <= maximumSize else { throw .fcm("Message is too large. The maximum is 4K (4096 bytes).") }
        var result = try target(of: message, isValidatedOnly: isValidatedOnly)
        let android = try object(message["android"], "message.android")
        if case .string(let life) = android?["ttl"], let seconds = Double(life.dropLast()) {
            // Rounded down, as Google's page says.
            result.lifetime = .seconds(Int64(seconds))
        }
        let key = android?["collapse_key"] ?? android?["collapseKey"]
        result.collapseKey = try string(key, "message.android.collapse_key")
        result.isNotification = try object(message["notification"], "message.notification") != nil
        return result
    }

    private static func target(of message: JSONValue, isValidatedOnly: Bool) throws(Problem) -> Message {
        var found: [(name: String, value: String)] = []
        for name in ["token", "fid", "topic", "condition"] {
            if let value = try string(message[name], "message.\(name)") { found.append((name, value)) }
        }
        guard found.count == 1, let (name, value) = found.first, !value.isEmpty else {
            guard found.count > 1 else { throw .fcm("Recipient of the message is not set.", "message") }
            throw .json("Invalid value at 'message' (oneof), oneof field 'target' is already set.", "message")
        }
        switch name {
        case "token":
            guard isToken(value) else {
                throw .fcm("The registration token is not a valid FCM registration token", "message.token")
            }
        case "topic":
            guard isName(value) else { throw .fcm("Topic name contains invalid characters.", "message.topic") }
            return Message(
                device: nil,
                target: "/topics/\(value)",
                isForInstallation: false,
                isValidatedOnly: isValidatedOnly
            )
        case "condition":
            // The real service says no more than that.
            guard value.contains("' in topics"), value.count(of: "' in topics") <= 5 else {
                throw .json("Request contains an invalid argument.")
            }
            return Message(device: nil, target: value, isForInstallation: false, isValidatedOnly: isValidatedOnly)
        default: break
        }
        return Message(device: value, target: value, isForInstallation: name == "fid", isValidatedOnly: isValidatedOnly)
    }

    /// Whether a text looks like a registration token, today's or one of an older kind; an installation id passes, too.
    private static func isToken(_ text: String) -> Bool {
        (20...4096).contains(text.utf8.count) && text.utf8.allSatisfy { byte in isNameByte(byte) || byte == 0x3A }
    }

    /// Whether a text is an installation id.
    package static func isInstallation(_ text: String) -> Bool {
        text.utf8.count == 22 && text.first.map { "cdef".contains($0) } == true
            && text.utf8.allSatisfy { isNameByte($0) && $0 != 0x2E && $0 != 0x7E && $0 != 0x25 }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isNameByte)
    }

    /// Whether a byte may stand in a name: `[a-zA-Z0-9-_.~%]`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x2E, 0x7E, 0x25: true
        default: false
        }
    }

    private static func judgeData(_ value: JSONValue?, _ path: String) throws(Problem) -> Int {
        guard let value, value != .null else { return 0 }
        guard case .object(let members) = value else { throw .json("Invalid value at '\(path)' (Map)", path) }
        var size = 0
        for (index, member) in members.enumerated() {
            guard case .string(let text) = member.value else {
                let field = "\(path)[\(index)].value"
                throw .json("Invalid value at '\(field)' (TYPE_STRING)", field)
            }
            let isReserved =
                member.name == "from" || member.name == "message_type" || member.name.hasPrefix("google.")
                || member.name.hasPrefix("gcm.")
            if isReserved { throw .fcm("Invalid data payload key: \(member.name)", path) }
            size += member.name.utf8.count + text.utf8.count
        }
        return size
    }

    private static func judgeNotification(_ value: JSONValue?) throws(Problem) -> Int {
        guard let notification = try object(value, "message.notification") else { return 0 }
        try judgeNames(notification, notificationFields, "message.notification")
        var size = 0
        for name in notificationFields {
            let text = try string(notification[name], "message.notification.\(name)")
            size += text.map { name.utf8.count + $0.utf8.count } ?? 0
        }
        return size
    }

    private static func judgeAndroid(_ android: JSONValue?) throws(Problem) -> Int {
        guard let android else { return 0 }
        let path = "message.android"
        try judgeNames(android, androidFields, path)
        if let priority = try string(android["priority"], "\(path).priority"),
            !["NORMAL", "HIGH"].contains(priority.uppercased())
        {
            throw .json("Invalid value at '\(path).priority' (TYPE_ENUM), \"\(priority)\"", "\(path).priority")
        }
        if let life = try string(android["ttl"], "\(path).ttl") {
            guard life.last == "s", let seconds = Double(life.dropLast()), !life.hasPrefix("+") else {
                throw .json("Invalid value at '\(path).ttl' (Duration)", "\(path).ttl")
            }
            guard (0...maximumLife).contains(seconds) else {
                throw .fcm("TTL must be non-negative and at most 28 days.", "\(path).ttl")
            }
        }
        return try judgeData(android["data"], "\(path).data")
    }

    /// proto3's JSON takes both spellings of a name.
    private static func judgeNames(_ object: JSONValue, _ known: Set<String>, _ path: String) throws(Problem) {
        guard case .object(let members) = object else { return }
        for member in members where !known.contains(member.name) {
            guard !known.contains(where: { camel($0) == member.name }) else { continue }
            throw unknown(member.name, path)
        }
    }

    private static func camel(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    private static func unknown(_ name: String, _ path: String) -> Problem {
        let place = path.isEmpty ? "" : " at '\(path)'"
        return .json(
            "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field.",
            path.isEmpty ? name : path
        )
    }

    private static func object(_ value: JSONValue?, _ path: String) throws(Problem) -> JSONValue? {
        guard let value, value != .null else { return nil }
        guard case .object = value else { throw .json("Invalid value at '\(path)' (Message)", path) }
        return value
    }

    private static func string(_ value: JSONValue?, _ path: String) throws(Problem) -> String? {
        guard let value, value != .null else { return nil }
        guard case .string(let text) = value else { throw .json("Invalid value at '\(path)' (TYPE_STRING)", path) }
        return text
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let first = rest.firstIndex(of: "'") {
            if rest[first...].hasPrefix(part) { count += 1 }
            rest = rest[rest.index(after: first)...]
        }
        return count
    }
}
