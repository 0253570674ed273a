/// The names that other push services and libraries have for the fields of a notification.
package enum ForeignNames {
    /// In small letters, without underscores and hyphens.
    private static let fields: [String: Field] = [
        "token": .deviceToken, "to": .deviceToken, "registrationid": .deviceToken, "registrationtoken": .deviceToken,
        "pushtoken": .deviceToken, "fcmtoken": .deviceToken, "apnstoken": .deviceToken,
        "tokens": .deviceTokens, "registrationids": .deviceTokens, "registrationtokens": .deviceTokens,
        "body": .message, "text": .message, "alert": .message, "content": .message,
        "ttl": .expiration, "timetolive": .expiration, "expiry": .expiration, "expires": .expiration,
        "collapsekey": .collapseID, "apnscollapseid": .collapseID, "apnspriority": .priority,
        "apnsexpiration": .expiration, "apnstopic": .topic, "apnspushtype": .pushType,
    ]

    static func field(_ name: String) -> Field? {
        fields[name.lowercased().filter { $0 != "_" && $0 != "-" }]
    }

    /// The field's name, and its unit where the other services have another one.
    static func words(_ field: Field) -> String {
        field == .expiration ? "expiration, in seconds since 1970" : "\(field.name)"
    }

    /// The words for the field that a name of another service stands for.
    ///
    /// - Parameters:
    ///   - name: the given one.
    ///   - known: the fields that are allowed.
    /// - Returns: `nil` where the name is not known, or the field is not allowed.
    package static func words(for name: String, among known: some Sequence<String>) -> String? {
        guard let field = field(name), known.contains("\(field.name)") else { return nil }
        return words(field)
    }
}
