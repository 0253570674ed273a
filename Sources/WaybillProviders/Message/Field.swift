/// The names that a dispatch message knows.
enum Field: UInt8, CaseIterable {
    // Of the envelope
    case batchID, client, lane, serviceID, defaults, notifications, deviceTokens
    // Of one notification alone
    case deviceToken, apnsID
    // What is sent: of one notification, or shared by all `device_tokens`
    case message, payload
    // How it is sent: the same places, and `defaults`
    case pushType, priority, expiration, maxAge, topic, collapseID, collapse, receipt, onUnknown, deliveryType,
        tokenKind
    case repeatUntilAcknowledged
    // Interactions, which shape the payload that a `message` becomes
    case title, subtitle, badge, sound, category, threadID, contentAvailable, mutableContent, interruptionLevel
    case relevanceScore, targetContentID, data

    var name: StaticString {
        switch self {
        case .batchID: "batch_id"
        case .client: "client"
        case .lane: "lane"
        case .serviceID: "service_id"
        case .defaults: "defaults"
        case .notifications: "notifications"
        case .deviceTokens: "device_tokens"
        case .deviceToken: "device_token"
        case .apnsID: "apns_id"
        case .message: "message"
        case .payload: "payload"
        case .pushType: "push_type"
        case .priority: "priority"
        case .expiration: "expiration"
        case .maxAge: "max_age"
        case .topic: "topic"
        case .collapseID: "collapse_id"
        case .collapse: "collapse"
        case .receipt: "receipt"
        case .onUnknown: "on_unknown"
        case .deliveryType: "delivery_type"
        case .tokenKind: "token_kind"
        case .repeatUntilAcknowledged: "repeat_until_acknowledged"
        case .title: "title"
        case .subtitle: "subtitle"
        case .badge: "badge"
        case .sound: "sound"
        case .category: "category"
        case .threadID: "thread_id"
        case .contentAvailable: "content_available"
        case .mutableContent: "mutable_content"
        case .interruptionLevel: "interruption_level"
        case .relevanceScore: "relevance_score"
        case .targetContentID: "target_content_id"
        case .data: "data"
        }
    }

    /// The field of a name; `nil` if there is none.
    static func named(_ name: UnsafeBufferPointer<UInt8>) -> Field? {
        guard name.count < byLength.count else { return nil }
        for candidate in byLength[name.count] where candidate.name.hasBytes(name) { return candidate }
        return nil
    }

    private static let byLength: [[Field]] = {
        var table: [[Field]] = []
        for field in allCases {
            while table.count <= field.name.utf8CodeUnitCount { table.append([]) }
            table[field.name.utf8CodeUnitCount].append(field)
        }
        return table
    }()
}

extension StaticString {
    /// Whether the string consists of these bytes.
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == utf8CodeUnitCount else { return false }
        for position in 0..<bytes.count where bytes[position] != utf8Start[position] { return false }
        return true
    }
}

/// A set of fields in one word.
struct FieldSet: OptionSet {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(_ field: Field) {
        self.init(rawValue: 1 << UInt64(field.rawValue))
    }

    private init(_ fields: ClosedRange<UInt8>) {
        self.init(fields.reduce(into: []) { $0.formUnion(FieldSet(rawValue: 1 << UInt64($1))) })
    }

    private init(_ set: FieldSet) {
        self = set
    }

    func contains(_ field: Field) -> Bool {
        rawValue & 1 << UInt64(field.rawValue) != 0
    }

    static let content = FieldSet(Field.message.rawValue...Field.payload.rawValue)
    static let delivery = FieldSet(Field.pushType.rawValue...Field.repeatUntilAcknowledged.rawValue)
    static let interactions = FieldSet(Field.title.rawValue...Field.data.rawValue)
    /// What shapes the alert that a message becomes.
    static let alert = interactions.union(FieldSet(.deliveryType))

    /// What `defaults` may hold.
    static let defaults = delivery.union(interactions)
    /// What `device_tokens` share.
    static let shared = defaults.union(content)
    /// What an envelope says of all its notifications, whatever its form.
    static let frame = FieldSet(Field.batchID.rawValue...Field.defaults.rawValue)
    /// What one notification alone may hold.
    static let single = FieldSet(.deviceToken).union(FieldSet(.apnsID))
    /// What an envelope may hold, in one of its forms.
    static let envelope = shared.union(FieldSet(Field.batchID.rawValue...Field.deviceTokens.rawValue))
    /// What an entry of `notifications` may hold.
    static let notification = shared.union(single)
}
