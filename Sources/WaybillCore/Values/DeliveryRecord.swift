/// The truth about one notification, as the log keeps it (`schemas/delivery-record.schema.json`).
package struct DeliveryRecord: Sendable {
    /// The key.
    package var id: NotificationID
    /// The id that was sent or given, where the record could not have it as its key.
    package var givenID: NotificationID?
    /// What the notification is about, where its producer gave the id.
    package var fingerprint: UInt64?
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
    /// The position in the message as the producer published it, from 0; of an invalid item only.
    package var position: Int?
    package var client: String?
    /// The service of the front door that said it.
    package var serviceID: String?
    package var lane: String
    /// The push service's name; `nil` for APNs, which records do not name.
    package var provider: String?
    /// The provider's own name for what it took, where it gives one.
    package var providerID: String?
    package var topic: String?
    /// As ``Notification/kind``.
    package var kind: String?
    package var priority: PriorityClass?
    /// As sent, in seconds since 1970; `nil` where it was left to the provider.
    package var expiration: Int64?
    /// The limit on the notification's age, in seconds; `nil` without one.
    package var maxAge: Int?
    package var collapseKey: CollapseKey
    /// How often it was sent, answered or not.
    package var attempts: Int
    package var latencyMilliseconds: Double?
    package var queuedMilliseconds: Int64?
    /// Which repeat of an unacknowledged notification it is; `nil` for what a producer has published.
    package var family: FamilyMember?
    /// Since when the provider has known the token to be invalid, in milliseconds since 1970.
    package var invalidSince: Int64?
    /// The push may have been sent before.
    package var isRepeat: Bool
    /// Every push that was sent, oldest first; empty where the record itself tells of the only one.
    package var history: [AttemptRecord]
    /// How long it was put off unsent because of its lane, oldest first; without an end where it waits now.
    package var waited: [LaneWait]
    /// Statistics look for the record by its date: the key does not begin with a time that is near it.
    package var isCountedByDate: Bool

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
        priority: PriorityClass? = nil,
        expiration: Int64? = nil,
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
        isCountedByDate: Bool = false
    ) {
        self.id = id
        self.givenID = givenID
        self.fingerprint = fingerprint
        self.deviceToken = deviceToken
        self.outcome = outcome
        self.statusCode = statusCode
        self.reason = reason
        self.message = message
        self.date = date
        self.batchID = batchID
        self.position = position
        self.client = client
        self.serviceID = serviceID
        self.lane = lane
        self.provider = provider
        self.providerID = providerID
        self.topic = topic
        self.kind = kind
        self.priority = priority
        self.expiration = expiration
        self.maxAge = maxAge
        self.collapseKey = collapseKey
        self.attempts = attempts
        self.latencyMilliseconds = latencyMilliseconds
        self.queuedMilliseconds = queuedMilliseconds
        self.family = family
        self.invalidSince = invalidSince
        self.isRepeat = isRepeat
        self.history = history
        self.waited = waited
        self.isCountedByDate = isCountedByDate
    }
}
