/// APNs' own word for why it refused a notification: an open set, kept unchanged.
///
/// Source: Apple, "Handling notification responses from APNs".
public struct APNSReason: RawRepresentable, Hashable, Sendable {
    /// The `reason` of the answer's body.
    public let rawValue: String

    /// Creates a reason from APNs' word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    // 400
    /// The collapse id is longer than 64 bytes.
    public static let badCollapseID = Self(rawValue: "BadCollapseId")
    /// The device token is malformed, or of the other environment.
    public static let badDeviceToken = Self(rawValue: "BadDeviceToken")
    /// The `apns-expiration` is no number.
    public static let badExpirationDate = Self(rawValue: "BadExpirationDate")
    /// The `apns-id` is no UUID.
    public static let badMessageID = Self(rawValue: "BadMessageId")
    /// The `apns-priority` is not allowed, for instance 10 with a background push.
    public static let badPriority = Self(rawValue: "BadPriority")
    /// The `apns-topic` is malformed.
    public static let badTopic = Self(rawValue: "BadTopic")
    /// The device token belongs to another topic.
    public static let deviceTokenNotForTopic = Self(rawValue: "DeviceTokenNotForTopic")
    /// A header was sent twice.
    public static let duplicateHeaders = Self(rawValue: "DuplicateHeaders")
    /// The connection was idle for too long.
    public static let idleTimeout = Self(rawValue: "IdleTimeout")
    /// The `apns-push-type` is not known to APNs.
    public static let invalidPushType = Self(rawValue: "InvalidPushType")
    /// The path holds no device token.
    public static let missingDeviceToken = Self(rawValue: "MissingDeviceToken")
    /// The request needs an `apns-topic` and has none.
    public static let missingTopic = Self(rawValue: "MissingTopic")
    /// The request has no body.
    public static let payloadEmpty = Self(rawValue: "PayloadEmpty")
    /// The credentials may not push to the topic.
    public static let topicDisallowed = Self(rawValue: "TopicDisallowed")

    // 403
    /// The provider certificate is not valid.
    public static let badCertificate = Self(rawValue: "BadCertificate")
    /// The provider certificate is of the other environment.
    public static let badCertificateEnvironment = Self(rawValue: "BadCertificateEnvironment")
    /// The key is of the other environment; the documented spelling.
    public static let badEnvironmentKeyIDInToken = Self(rawValue: "BadEnvironmentKeyIdInToken")
    /// The key is of the other environment; a spelling seen on the wire.
    public static let badEnvironmentKeyInToken = Self(rawValue: "BadEnvironmentKeyInToken")
    /// The provider token is older than an hour, or a clock is wrong.
    public static let expiredProviderToken = Self(rawValue: "ExpiredProviderToken")
    /// The action is not allowed.
    public static let forbidden = Self(rawValue: "Forbidden")
    /// The provider token's signature, key or team is wrong.
    public static let invalidProviderToken = Self(rawValue: "InvalidProviderToken")
    /// The request carries neither a provider token nor a certificate.
    public static let missingProviderToken = Self(rawValue: "MissingProviderToken")
    /// The connection is bound to another key.
    public static let unrelatedKeyIDInToken = Self(rawValue: "UnrelatedKeyIdInToken")

    // 404, 405
    /// The path is wrong.
    public static let badPath = Self(rawValue: "BadPath")
    /// The method is not POST.
    public static let methodNotAllowed = Self(rawValue: "MethodNotAllowed")

    // 410
    /// The device token has expired.
    public static let expiredToken = Self(rawValue: "ExpiredToken")
    /// The device token is inactive for the topic.
    public static let unregistered = Self(rawValue: "Unregistered")

    // 413, 429
    /// The payload is over the push type's limit.
    public static let payloadTooLarge = Self(rawValue: "PayloadTooLarge")
    /// The provider token changes too often.
    public static let tooManyProviderTokenUpdates = Self(rawValue: "TooManyProviderTokenUpdates")
    /// Too many pushes for one device token.
    public static let tooManyRequests = Self(rawValue: "TooManyRequests")

    // 500, 503
    /// A fault of APNs.
    public static let internalServerError = Self(rawValue: "InternalServerError")
    /// APNs is not available.
    public static let serviceUnavailable = Self(rawValue: "ServiceUnavailable")
    /// The server that the connection leads to is going down.
    public static let shutdown = Self(rawValue: "Shutdown")
}
