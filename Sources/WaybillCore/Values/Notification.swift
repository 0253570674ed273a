/// What to do when a push went out and no answer came back.
package enum UnknownPolicy: String, CaseIterable, Sendable {
    /// Send it again: a collapse id makes the repeat replace the first on the screen.
    case resend
    /// Do not risk a repeat: record `unknown`.
    case record
}

/// What a provider's rules have noted of a notification for the moment when it is sent; opaque elsewhere.
///
/// For providers that have in the body what others have in headers. Small on purpose: it lies where a notification has room
/// anyway.
package struct SendingNote: Hashable, Sendable {
    /// Where in the payload the notification's id is added; 0 for nowhere.
    package var idPlace: UInt16 = 0
    /// Where in the payload the rest of its life is added; 0 for nowhere.
    package var lifePlace: UInt16 = 0
    /// It goes ahead of the others, and is not slowed when a lane has just begun.
    package var isUrgent = false
    /// What it is for is an installation of the app, and no token.
    package var isInstallation = false

    package init() {}
}

/// One notification of a batch, decoded and checked.
///
/// Slices share the storage of the message's body. An object, because it is handed on several times: as a value it would be
/// copied each time, with every reference in it.
package final class Notification: Sendable {
    /// Where it goes: opaque here, in the form that its provider's rules allow.
    package let deviceToken: ArraySlice<UInt8>
    /// The producer's `message` as UTF-8, when the payload was made from one.
    package let message: ArraySlice<UInt8>?
    /// What is sent, byte for byte.
    package let payload: ArraySlice<UInt8>
    package let id: NotificationID
    /// Set if the producer gave the id: what it is about, for a record that may be found under it.
    package let fingerprint: UInt64?
    package let collapseKey: CollapseKey
    /// What its provider calls this kind of push; `nil` where it has no such word.
    ///
    /// Opaque here: records keep it.
    package let kind: String?
    /// Whether ``kind`` was derived from the payload, because the message names none.
    package let isKindDerived: Bool
    package let priority: PriorityClass
    package let expiration: Expiration
    package let expirationFrom: ExpirationOrigin
    /// Whole seconds since the message's own time; `nil` for no limit.
    package let maxAge: Int?
    /// What its provider calls the app that it is for; `nil` where it has no such word.
    ///
    /// Opaque here: records keep it.
    package let topic: String?
    package let onUnknown: UnknownPolicy
    /// Its push carries a capability to say what became of it on the device (``ReceiptCapability``).
    ///
    /// `payload` is without it: it is added when the push is sent, and never kept.
    package let asksReceipt: Bool
    package let note: SendingNote

    package init(
        deviceToken: ArraySlice<UInt8>,
        message: ArraySlice<UInt8>?,
        payload: ArraySlice<UInt8>,
        id: NotificationID,
        fingerprint: UInt64? = nil,
        collapseKey: CollapseKey,
        kind: String?,
        isKindDerived: Bool = false,
        priority: PriorityClass,
        expiration: Expiration,
        expirationFrom: ExpirationOrigin = .message,
        maxAge: Int? = nil,
        topic: String?,
        onUnknown: UnknownPolicy,
        asksReceipt: Bool = false,
        note: SendingNote = SendingNote()
    ) {
        self.deviceToken = deviceToken
        self.message = message
        self.payload = payload
        self.id = id
        self.fingerprint = fingerprint
        self.collapseKey = collapseKey
        self.kind = kind
        self.isKindDerived = isKindDerived
        self.priority = priority
        self.expiration = expiration
        self.expirationFrom = expirationFrom
        self.maxAge = maxAge
        self.topic = topic
        self.onUnknown = onUnknown
        self.asksReceipt = asksReceipt
        self.note = note
    }
}

extension Notification {
    /// When it is too late for it; the parameters are ``Deadline``'s.
    package func deadline(messageTime: Int64, retriesEnd: Int64?) -> Deadline {
        Deadline(expiration: expiration, maxAge: maxAge, messageTime: messageTime, retriesEnd: retriesEnd)
    }
}

/// An item that can never be sent, kept so that it gets its record.
package struct InvalidItem: Sendable {
    /// The id that the message derives for its position; the key of its record.
    package var id: NotificationID
    /// The most bytes of UTF-8 that are kept of a token that is none.
    package static let maxTokenBytes = 400

    /// The id that the producer gave it, if that could be read.
    package var givenID: NotificationID?
    /// The token in lower case if it is one, else the text that was given in its place, cut after ``maxTokenBytes``.
    ///
    /// `nil` where there was no text. Unchecked: it belongs into the record and nowhere else.
    package var deviceToken: ArraySlice<UInt8>?
    /// Names the field and the limit, and never repeats a token or payload.
    package var reason: String

    package init(id: NotificationID, givenID: NotificationID? = nil, deviceToken: ArraySlice<UInt8>?, reason: String) {
        self.id = id
        self.givenID = givenID
        self.deviceToken = deviceToken
        self.reason = reason
    }
}
