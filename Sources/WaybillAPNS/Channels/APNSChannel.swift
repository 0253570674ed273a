/// The id of a broadcast channel, as APNs made it.
public struct APNSChannelID: RawRepresentable, Hashable, Sendable, Codable {
    /// APNs' text for the channel: base64 in practice.
    public let rawValue: String

    /// Creates an id from APNs' text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the text may be in a header.
    var isSendable: Bool { rawValue.utf8.count <= 256 && HeaderValue.isVisibleASCII(rawValue) }
}

extension APNSChannelID: CustomStringConvertible {
    /// The text itself.
    public var description: String { rawValue }
}

/// What a channel keeps for devices that cannot be reached; it never changes once the channel is made.
///
/// Source: Apple, "Sending channel management requests to APNs".
public struct APNSChannelStoragePolicy: RawRepresentable, Hashable, Sendable {
    /// The value of `message-storage-policy`.
    public let rawValue: Int

    /// Creates a policy from its value.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Nothing is kept: broadcasts have the expiration ``APNSExpiration/immediate``.
    public static let nothing = Self(rawValue: 0)
    /// The newest broadcast is kept, for up to eight hours.
    public static let newest = Self(rawValue: 1)
}

/// A broadcast channel of an app, in one environment.
public struct APNSChannel: Hashable, Sendable {
    /// The channel's id.
    public let id: APNSChannelID
    /// What the channel keeps.
    public let storage: APNSChannelStoragePolicy
    /// What the channel carries: `LiveActivity` in APNs' spelling.
    public let pushType: String

    /// Creates a description, for tests of what uses it.
    public init(id: APNSChannelID, storage: APNSChannelStoragePolicy, pushType: String = "LiveActivity") {
        self.id = id
        self.storage = storage
        self.pushType = pushType
    }
}
