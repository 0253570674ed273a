/// One value of `apns-push-type`, with the rules that hang on it.
///
/// Source: "Sending notification requests to APNs", as the simulator reads it; the client has a table of its own.
package struct PushType: Hashable, Sendable {
    /// The header's value.
    package let name: String
    /// What follows the bundle id in the topic.
    package let topicSuffix: String
    /// The values of `apns-priority` that may be given.
    ///
    /// An absent header is never an error.
    package let priorities: [Int]
    /// The most bytes that the payload may have.
    package let payloadLimit: Int

    /// Whether a certificate cannot send it.
    package let needsToken: Bool

    private init(
        _ name: String,
        suffix: String = "",
        priorities: [Int] = [10, 5, 1],
        payloadLimit: Int = 4096,
        needsToken: Bool = false
    ) {
        self.name = name
        self.topicSuffix = suffix
        self.priorities = priorities
        self.payloadLimit = payloadLimit
        self.needsToken = needsToken
    }

    /// Every type that Apple names.
    package static let all: [PushType] = [
        PushType("alert"),
        PushType("background", priorities: [5]),
        PushType("complication", suffix: ".complication"),
        PushType("controls", suffix: ".push-type.controls"),
        PushType("fileprovider", suffix: ".pushkit.fileprovider"),
        PushType("liveactivity", suffix: ".push-type.liveactivity"),
        PushType("location", suffix: ".location-query", needsToken: true),
        PushType("mdm"),
        PushType("pushtotalk", suffix: ".voip-ptt"),
        PushType("voip", suffix: ".voip", payloadLimit: 5120),
        PushType("widgets", suffix: ".push-type.widgets"),
    ]

    /// The type with this name, compared exactly; `nil` for one that Apple does not name.
    static func named(_ name: some Sequence<UInt8>) -> PushType? {
        all.first { $0.name.utf8.elementsEqual(name) }
    }

    /// The limit for a request without `apns-push-type`.
    static let defaultPayloadLimit = 4096
}
