package import WaybillAPNS

/// The truth about one notification, as the log keeps it (`schemas/delivery-record.schema.json`).
package struct DeliveryRecord: Sendable {
    /// The key.
    package var apnsID: APNSID
    /// The `apns-id` that was sent or given, where the record could not have it as its key.
    package var givenID: APNSID?
    /// What the notification is about, where its producer gave the id.
    package var fingerprint: UInt64?
    /// Lower-case hexadecimal ASCII, or of an invalid item the text it gave (``InvalidItem/deviceToken``); `nil` where an
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
    package var lane: String
    package var topic: String?
    package var pushType: APNSPushType?
    /// 10, 5 or 1.
    package var priority: Int?
    /// `apns-expiration` as sent, in seconds since 1970; `nil` where the header was left out.
    package var expiration: Int64?
    /// The limit on the notification's age, in seconds; `nil` without one.
    package var maxAge: Int?
    package var collapseID: APNSCollapseID
    /// How often it was sent, answered or not.
    package var attempts: Int
    package var latencyMilliseconds: Double?
    package var queuedMilliseconds: Int64?
    /// The 410 `timestamp`, in milliseconds since 1970.
    package var invalidSince: Int64?
    /// The push may have been sent before.
    package var isRepeat: Bool
    /// Every push that was sent, oldest first; empty where the record itself tells of the only one.
    package var history: [AttemptRecord]

    package init(
        apnsID: APNSID,
        givenID: APNSID? = nil,
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
        lane: String,
        topic: String? = nil,
        pushType: APNSPushType? = nil,
        priority: Int? = nil,
        expiration: Int64? = nil,
        maxAge: Int? = nil,
        collapseID: APNSCollapseID = .none,
        attempts: Int = 0,
        latencyMilliseconds: Double? = nil,
        queuedMilliseconds: Int64? = nil,
        invalidSince: Int64? = nil,
        isRepeat: Bool = false,
        history: [AttemptRecord] = []
    ) {
        self.apnsID = apnsID
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
        self.lane = lane
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.maxAge = maxAge
        self.collapseID = collapseID
        self.attempts = attempts
        self.latencyMilliseconds = latencyMilliseconds
        self.queuedMilliseconds = queuedMilliseconds
        self.invalidSince = invalidSince
        self.isRepeat = isRepeat
        self.history = history
    }
}
