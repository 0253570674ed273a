/// The JSON body of a notification, as bytes.
///
/// Made from typed content, or from ready JSON that passes byte for byte. It is made once and can be sent to any number
/// of devices: copies share the bytes.
public struct APNSPayload: Sendable {
    /// The JSON text in UTF-8; its count is what APNs' limits count.
    public let bytes: [UInt8]

    /// What the bytes are known to keep to, so that they need not be read again.
    enum Origin: Sendable {
        /// Ready JSON: nothing is known.
        case ready
        /// Written by this library for a push type.
        case written(APNSPushType)
    }

    let origin: Origin

    /// The most bytes of a Live Activity update that is broadcast to a channel.
    ///
    /// Source: Apple, "Sending broadcast push notification requests to APNs".
    public static let maximumBroadcastSize = 5120

    init(bytes: [UInt8], origin: Origin) {
        self.bytes = bytes
        self.origin = origin
    }

    /// Takes ready JSON, which is sent byte for byte.
    ///
    /// It is not read, save for push types whose rules cannot be kept otherwise (see ``APNSNotification``); what does not
    /// begin and end as a JSON object does is refused when it is sent.
    public init(json bytes: [UInt8]) {
        self.init(bytes: bytes, origin: .ready)
    }

    /// Checks the size of a broadcast.
    ///
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification``.
    package func checkBroadcastSize() throws(APNSError) {
        guard (1...Self.maximumBroadcastSize).contains(bytes.count) else {
            throw .invalid(
                "payload",
                bytes.isEmpty
                    ? "is empty"
                    : "has \(bytes.count) bytes, allowed for a broadcast: up to \(Self.maximumBroadcastSize)"
            )
        }
    }

    /// Takes ready JSON, which is sent byte for byte.
    public init(json text: String) {
        self.init(json: Array(text.utf8))
    }
}

extension APNSPayload: Hashable {
    /// Whether both are the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension APNSPayload: CustomStringConvertible, CustomReflectable {
    /// The size only: a payload may hold personal data.
    public var description: String { "payload of \(bytes.count) bytes" }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["size": bytes.count]) }
}
