/// The truth about one notification, as the log keeps it (`schemas/delivery-record.schema.json`).
package struct DeliveryRecord: Sendable {
    /// The key.
    package var id: NotificationID
    /// As it was sent, or of an invalid item the text it gave (``InvalidItem/deviceToken``); `nil` where an
    /// invalid item gave none.
    package var deviceToken: ArraySlice<UInt8>?
    package var outcome: Outcome
    package var statusCode: Int?
    package var reason: String?
    /// What was sent: the producer's message, or the payload's JSON text.
    package var message: ArraySlice<UInt8>?
    /// When the outcome was known, in milliseconds since 1970.
    package var date: Int64
    package var batchID: String
    package var client: String?
    package var lane: String
    package var topic: String?
    /// As ``Notification/kind``.
    package var kind: String?
    /// As ``Notification/isKindDerived``.
    package var isKindDerived: Bool
    package var priority: PriorityClass?
    /// As sent, in seconds since 1970; `nil` where it was left to the provider.
    package var expiration: Int64?
    /// `nil` for an invalid item.
    package var expirationFrom: ExpirationOrigin?
    /// The limit on the notification's age, in seconds; `nil` without one.
    package var maxAge: Int?
    package var collapseKey: CollapseKey
    /// How often it was sent, answered or not.
    package var attempts: Int
    package var latencyMilliseconds: Double?
    package var queuedMilliseconds: Int64?
    /// The push may have been sent before.
    package var isRepeat: Bool
    /// Statistics look for the record by its date: the key does not begin with a time that is near it.
    package var isCountedByDate: Bool
    /// What few records have; `nil` where there is nothing of it.
    private var rare: Rare?
}

extension DeliveryRecord {
    /// Hands everything to the memberwise initializer: one that sets the members one by one copies the whole value at its end.
    package init(
        id: NotificationID,
        givenID: NotificationID? = nil,
        fingerprint: UInt64? = nil,
        deviceToken: ArraySlice<UInt8>?,
        outcome: Outcome,
        statusCode: Int? = nil,
        reason: String? = nil,
        message: ArraySlice<UInt8>? = nil,
        date: Int64,
        batchID: String,
        position: Int? = nil,
        client: String? = nil,
        serviceID: String? = nil,
        lane: String,
        provider: String? = nil,
        providerID: String? = nil,
        topic: String? = nil,
        kind: String? = nil,
        isKindDerived: Bool = false,
        priority: PriorityClass? = nil,
        expiration: Int64? = nil,
        expirationFrom: ExpirationOrigin? = nil,
        maxAge: Int? = nil,
        collapseKey: CollapseKey = .none,
        attempts: Int = 0,
        latencyMilliseconds: Double? = nil,
        queuedMilliseconds: Int64? = nil,
        family: FamilyMember? = nil,
        invalidSince: Int64? = nil,
        isRepeat: Bool = false,
        history: [AttemptRecord] = [],
        waited: [LaneWait] = [],
        next: PlannedPass? = nil,
        isCountedByDate: Bool = false
    ) {
        let hasRare =
            givenID != nil || fingerprint != nil || position != nil || serviceID != nil || provider != nil
            || providerID != nil || family != nil || invalidSince != nil || !history.isEmpty || !waited.isEmpty
            || next != nil
        let rare =
            hasRare
            ? Rare(nil) {
                $0.givenID = givenID
                $0.fingerprint = fingerprint
                $0.position = position
                $0.serviceID = serviceID
                $0.provider = provider
                $0.providerID = providerID
                $0.family = family
                $0.invalidSince = invalidSince
                $0.history = history
                $0.waited = waited
                $0.next = next
            } : nil
        self.init(
            id: id,
            deviceToken: deviceToken,
            outcome: outcome,
            statusCode: statusCode,
            reason: reason,
            message: message,
            date: date,
            batchID: batchID,
            client: client,
            lane: lane,
            topic: topic,
            kind: kind,
            isKindDerived: isKindDerived,
            priority: priority,
            expiration: expiration,
            expirationFrom: expirationFrom,
            maxAge: maxAge,
            collapseKey: collapseKey,
            attempts: attempts,
            latencyMilliseconds: latencyMilliseconds,
            queuedMilliseconds: queuedMilliseconds,
            isRepeat: isRepeat,
            isCountedByDate: isCountedByDate,
            rare: rare
        )
    }
}

// What few records have. It lies apart: a record is copied several times on its way, and each field costs, also without a value.
extension DeliveryRecord {
    /// The id that was sent or given, where the record could not have it as its key.
    package var givenID: NotificationID? {
        get { rare?.values.givenID }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.givenID = newValue } } }
    }

    /// What the notification is about, where its producer gave the id.
    package var fingerprint: UInt64? {
        get { rare?.values.fingerprint }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.fingerprint = newValue } } }
    }

    /// The position in the message as the producer published it, from 0; of an invalid item only.
    package var position: Int? {
        get { rare?.values.position }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.position = newValue } } }
    }

    /// The service of the front door that said it.
    package var serviceID: String? {
        get { rare?.values.serviceID }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.serviceID = newValue } } }
    }

    /// The push service's name; `nil` for APNs, which records do not name.
    package var provider: String? {
        get { rare?.values.provider }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.provider = newValue } } }
    }

    /// The provider's own name for what it took, where it gives one.
    package var providerID: String? {
        get { rare?.values.providerID }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.providerID = newValue } } }
    }

    /// Which repeat of an unacknowledged notification it is; `nil` for what a producer has published.
    package var family: FamilyMember? {
        get { rare?.values.family }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.family = newValue } } }
    }

    /// Since when the provider has known the token to be invalid, in milliseconds since 1970.
    package var invalidSince: Int64? {
        get { rare?.values.invalidSince }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.invalidSince = newValue } } }
    }

    /// Every push that was sent, oldest first; empty where the record itself tells of the only one.
    package var history: [AttemptRecord] {
        get { rare?.values.history ?? [] }
        set { if rare != nil || !newValue.isEmpty { rare = Rare(rare) { $0.history = newValue } } }
    }

    /// How long it was put off unsent because of its lane, oldest first; without an end where it waits now.
    package var waited: [LaneWait] {
        get { rare?.values.waited ?? [] }
        set { if rare != nil || !newValue.isEmpty { rare = Rare(rare) { $0.waited = newValue } } }
    }

    /// The pass that a deferred notification waits for; `nil` for a final one.
    package var next: PlannedPass? {
        get { rare?.values.next }
        set { if rare != nil || newValue != nil { rare = Rare(rare) { $0.next = newValue } } }
    }

    private final class Rare: Sendable {
        struct Values: Sendable {
            var givenID: NotificationID?
            var fingerprint: UInt64?
            var position: Int?
            var serviceID: String?
            var provider: String?
            var providerID: String?
            var family: FamilyMember?
            var invalidSince: Int64?
            var history: [AttemptRecord] = []
            var waited: [LaneWait] = []
            var next: PlannedPass?
        }

        let values: Values

        /// A copy of what there is, changed.
        init(_ other: Rare?, _ change: (inout Values) -> Void) {
            var values = other?.values ?? Values()
            change(&values)
            self.values = values
        }
    }
}
