import WaybillCore

/// What is said of a client by whoever sends for it or looks at what was sent: how long its records are kept, and that its name may be a slip.
enum ClientWords {
    /// That the configuration does not name a client, what becomes of its records, and which one may be meant.
    ///
    /// - Parameters:
    ///   - client: as it was given.
    ///   - retention: of the configuration; `nil` where it has none.
    /// - Returns: half a sentence; `nil` for a client that is named, and where the configuration names none.
    static func unnamed(_ client: String?, _ retention: RetentionPolicy?) -> String? {
        guard let client, let retention, retention.isUnknown(client) else { return nil }
        let end =
            switch retention.unknown {
            case .keep: "its records are kept forever"
            case .default: "its records are kept for the default, \(retention.defaultPeriod)"
            case .reject: "its messages are rejected"
            }
        let hint = NearestName.to(client, among: retention.names).map { "; did you mean \($0)?" } ?? ""
        return "the configuration names no client \(client): \(end)\(hint)"
    }

    /// A client, and how long its records are kept.
    static func keeping(_ client: String, _ retention: RetentionPolicy) -> String {
        let isNamed = !retention.isUnknown(client)
        let time =
            switch retention.period(for: client) {
            case .days(let days): (isNamed ? "" : "for the default, ") + Counted.text(days, "day")
            case .keep: "forever"
            }
        return "\(client), whose records are kept \(time)" + (isNamed ? "" : ": the configuration does not name it")
    }
}
