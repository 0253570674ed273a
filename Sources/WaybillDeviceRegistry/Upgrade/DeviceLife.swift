import WaybillMongo

/// The part of a device that decides whether it may be pushed to.
///
/// Times are milliseconds since 1970.
struct DeviceLife: Hashable {
    private typealias Field = DeviceRegistry.Field

    var registeredAt: Int64?
    var seenAt: Int64?
    var isEnabled = true
    var disabledAt: Int64?
    var disabledReason: String?
    var invalidSince: Int64?
    var suspectedAt: Int64?
    var suspectedReason: String?

    init() {}

    init(_ document: BSONDocument) {
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        registeredAt = date(Field.registeredAt)
        seenAt = date(Field.seenAt)
        isEnabled = document["\(Field.enabled)"] != .bool(false)
        disabledAt = date(Field.disabledAt)
        disabledReason = document["\(Field.disabledReason)"]?.string
        invalidSince = date(Field.invalidSince)
        suspectedAt = date(Field.suspectedAt)
        suspectedReason = document["\(Field.suspectedReason)"]?.string
    }

    /// When the app has spoken of the token last.
    var lastWord: Int64? {
        DeviceRegistration(registeredAt: registeredAt, seenAt: seenAt).lastWord
    }

    /// The latest time of all that is known of it.
    var latest: Int64? { dates.compactMap(\.1).max() }

    /// What the app must have spoken after for the token to be alive; `nil` if it is not disabled.
    var end: Int64? { isEnabled ? nil : invalidSince ?? disabledAt ?? .max }

    /// What two documents of one token say together.
    ///
    /// Disabled by one of them it stays, unless the app has spoken after that: the other one's word counts as well. Where both
    /// are, the later end is the one that is told.
    ///
    /// - Parameter other: what the other one says.
    /// - Returns: the same, whichever is asked.
    func merged(with other: DeviceLife) -> DeviceLife {
        var merged = self
        merged.registeredAt = Self.later(registeredAt, other.registeredAt)
        merged.seenAt = Self.later(seenAt, other.seenAt)
        if other.suspectedAt ?? .min > suspectedAt ?? .min {
            merged.suspectedAt = other.suspectedAt
            merged.suspectedReason = other.suspectedReason
        }
        let ending = (end ?? .min) >= (other.end ?? .min) ? self : other
        let isAlive = ending.end.map { end in merged.lastWord.map { $0 > end } ?? false } ?? true
        merged.isEnabled = isAlive
        merged.disabledAt = isAlive ? nil : ending.disabledAt
        merged.disabledReason = isAlive ? nil : ending.disabledReason
        merged.invalidSince = isAlive ? nil : ending.invalidSince
        return merged
    }

    /// Meets a document of which nothing that was read has changed.
    ///
    /// - Parameters:
    ///   - writer: the filter.
    ///   - withEnabled: false for documents of the earlier layout, which do not say it.
    func appendGuards(to writer: BSONWriter, withEnabled: Bool = true) {
        func add(_ field: StaticString, _ date: Int64?) {
            if let date {
                writer.append(field, date: date)
            } else {
                writer.append(field) { $0.append("$not") { $0.append("$type", string: "date") } }
            }
        }
        add(Field.registeredAt, registeredAt)
        add(Field.seenAt, seenAt)
        add(Field.disabledAt, disabledAt)
        add(Field.invalidSince, invalidSince)
        add(Field.suspectedAt, suspectedAt)
        guard withEnabled else { return }
        if isEnabled {
            writer.append(Field.enabled) { $0.append("$ne", bool: false) }
        } else {
            writer.append(Field.enabled, bool: false)
        }
    }

    /// Writes the fields that are there, but for `enabled`.
    func append(to writer: BSONWriter) {
        for (field, date) in dates { if let date { writer.append(field, date: date) } }
        for (field, text) in texts { if let text { writer.append(field, string: text) } }
    }

    /// Sets the fields that are there and takes the others away.
    func appendUpdate(to writer: BSONWriter) {
        writer.append("$set") { fields in
            fields.append(Field.enabled, bool: isEnabled)
            append(to: fields)
        }
        let absent = dates.filter { $0.1 == nil }.map(\.0) + texts.filter { $0.1 == nil }.map(\.0)
        guard !absent.isEmpty else { return }
        writer.append("$unset") { fields in for field in absent { fields.append(field, string: "") } }
    }

    private var dates: [(StaticString, Int64?)] {
        [
            (Field.registeredAt, registeredAt), (Field.seenAt, seenAt), (Field.disabledAt, disabledAt),
            (Field.invalidSince, invalidSince), (Field.suspectedAt, suspectedAt),
        ]
    }

    private var texts: [(StaticString, String?)] {
        [(Field.disabledReason, disabledReason), (Field.suspectedReason, suspectedReason)]
    }

    private static func later(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}
