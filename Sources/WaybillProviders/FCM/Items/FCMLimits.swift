import WaybillFCM

/// What an item for FCM may not exceed.
///
/// The defaults are the contract of `schemas/dispatch-message.schema.json`.
package struct FCMLimits: Hashable, Sendable {
    /// Bytes of the keys and values of `data` and `notification` together, our own id among them (Google, "Firebase Cloud
    /// Messaging error codes").
    ///
    /// What exactly FCM counts is not written down: it may refuse what passes here.
    package var maxContentSize = 4096
    /// Bytes of the whole message object as JSON text: far more than the content can need.
    package var maxTextSize = 32_768
    /// Bytes of a registration token.
    package var maxTokenSize = 4096

    package init() {}

    /// The longest `ttl`, in seconds (Google, `AndroidConfig`).
    static let longestLife = 2_419_200
}

/// The keys that Waybill adds to `data`: all that begin so are its own.
enum FCMDataKey {
    static let prefix: StaticString = "wb_"
    /// The notification's id, by which the app drops repeats.
    static let id: StaticString = "wb_id"
    /// The delivery type, by which the app chooses how it alerts.
    static let type: StaticString = "wb_type"
    /// Bytes that the id takes of the content.
    static let idSize = 5 + 36
}

/// The two kinds of message that FCM knows.
enum FCMMessageKind: String, CaseIterable {
    /// For the app's code, which runs also in the background.
    case data
    /// Shown by the system while the app is in the background.
    case notification
}
