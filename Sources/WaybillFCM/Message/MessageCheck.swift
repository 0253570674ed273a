import WaybillEncoding

/// What is checked of a message before anything is sent: what Google documents, and nothing that only the server can know.
enum MessageCheck {
    /// Keys and values of data and notification together, in bytes.
    static let maximumSize = 4096
    /// The longest life, in seconds: 28 days.
    static let longestLife: Int64 = 2_419_200
    /// The digits of the longest life.
    static let lifeDigits = 7

    /// The life, in seconds, of what is sent now and of use until a time: at least one, for nought means "now or never".
    static func life(until expiration: Int64, at now: Int64) -> Int64 {
        min(max(expiration - now, 1), longestLife)
    }

    static func check(_ target: FCMTarget) throws(FCMError) {
        let (name, value) = target.member
        let field = name.description
        guard (1...4096).contains(value.utf8.count) else { throw .invalid(field, "must have 1 to 4,096 characters") }
        switch target {
        case .token, .installation:
            guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .invalid(field, "must be printable ASCII without blanks")
            }
        case .topic:
            guard value.utf8.allSatisfy(isNameByte) else {
                throw .invalid(field, "must consist of letters, digits and -_.~%, without /topics/")
            }
        case .condition: break
        }
    }

    static func check(_ content: FCMContent) throws(FCMError) {
        var size = 0
        for (key, value) in content.data {
            guard !isReserved(key) else {
                throw .invalid("data", "has a reserved key: from, message_type, google.… and gcm.… are FCM's own")
            }
            size += key.utf8.count + value.utf8.count
        }
        if let notification = content.notification {
            for (name, text) in [
                ("title", notification.title), ("body", notification.body), ("image", notification.image),
            ] { size += text.map { name.utf8.count + $0.utf8.count } ?? 0 }
        }
        guard size <= maximumSize else {
            throw .invalid("data", "and notification have \(size) bytes; FCM takes \(maximumSize)")
        }
        if let label = content.analyticsLabel {
            guard (1...50).contains(label.utf8.count), label.utf8.allSatisfy(isNameByte) else {
                throw .invalid("fcm_options.analytics_label", "must be 1 to 50 letters, digits and -_.~%")
            }
        }
    }

    static func isReserved(_ key: String) -> Bool {
        key == "from" || key == "message_type" || key.hasPrefix("google.") || key.hasPrefix("gcm.")
    }

    /// Whether a byte may stand in a name: `[a-zA-Z0-9-_.~%]`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x2E, 0x7E, 0x25: true
        default: false
        }
    }
}
