package import WaybillAPNS

/// What to do when a push went out and no answer came back.
package enum UnknownPolicy: String, CaseIterable, Sendable {
    /// Send it again: a collapse id makes the repeat replace the first on the screen.
    case resend
    /// Do not risk a repeat: record `unknown`.
    case record
}

/// One notification of a batch, decoded and checked.
///
/// Slices share the storage of the message's body.
package struct Notification: Sendable {
    /// Lower-case hexadecimal ASCII.
    package var deviceToken: ArraySlice<UInt8>
    /// The producer's `message` as UTF-8, when the payload was made from one.
    package var message: ArraySlice<UInt8>?
    /// The JSON that is sent, byte for byte.
    package var payload: ArraySlice<UInt8>
    package var apnsID: APNSID
    /// Set if the producer gave the id: what it is about, for a record that may be found under it.
    package var fingerprint: UInt64?
    package var collapseID: APNSCollapseID
    package var pushType: APNSPushType
    /// 10, 5 or 1.
    package var priority: Int
    package var expiration: APNSExpiration
    /// Whole seconds since the message's own time; `nil` for no limit.
    package var maxAge: Int?
    /// The value of `apns-topic`: the producer's own, or the lane's bundle id with the push type's suffix.
    package var topic: String
    package var onUnknown: UnknownPolicy

    package init(
        deviceToken: ArraySlice<UInt8>,
        message: ArraySlice<UInt8>?,
        payload: ArraySlice<UInt8>,
        apnsID: APNSID,
        fingerprint: UInt64? = nil,
        collapseID: APNSCollapseID,
        pushType: APNSPushType,
        priority: Int,
        expiration: APNSExpiration,
        maxAge: Int? = nil,
        topic: String,
        onUnknown: UnknownPolicy
    ) {
        self.deviceToken = deviceToken
        self.message = message
        self.payload = payload
        self.apnsID = apnsID
        self.fingerprint = fingerprint
        self.collapseID = collapseID
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.maxAge = maxAge
        self.topic = topic
        self.onUnknown = onUnknown
    }
}

extension Notification {
    /// When it is too late for it; the parameters are ``Deadline``'s.
    package func deadline(messageTime: Int64, lastResort: Int64?) -> Deadline {
        Deadline(expiration: expiration, maxAge: maxAge, messageTime: messageTime, lastResort: lastResort)
    }
}

/// An item that can never be sent, kept so that it gets its record.
package struct InvalidItem: Sendable {
    /// The id that the message derives for its position; the key of its record.
    package var apnsID: APNSID
    /// The most bytes of UTF-8 that are kept of a token that is none.
    package static let maxTokenBytes = 400

    /// The id that the producer gave it, if that could be read.
    package var givenID: APNSID?
    /// The token in lower case if it is one, else the text that was given in its place, cut after ``maxTokenBytes``.
    ///
    /// `nil` where there was no text. Unchecked: it belongs into the record and nowhere else.
    package var deviceToken: ArraySlice<UInt8>?
    /// Names the field and the limit, and never repeats a token or payload.
    package var reason: String

    package init(apnsID: APNSID, givenID: APNSID? = nil, deviceToken: ArraySlice<UInt8>?, reason: String) {
        self.apnsID = apnsID
        self.givenID = givenID
        self.deviceToken = deviceToken
        self.reason = reason
    }
}
