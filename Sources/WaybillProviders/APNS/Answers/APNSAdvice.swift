/// What to do about a refusal of APNs, where its word alone does not say.
///
/// Source: Apple, "Handling notification responses from APNs".
enum APNSAdvice {
    /// A sentence's second half; `nil` for a word that says enough, or that nobody knows.
    static func text(reason: String) -> String? {
        switch reason {
        case "Unregistered", "ExpiredToken":
            "the app was removed from the device, or the token was replaced: stop sending to it"
        case "BadDeviceToken":
            "mostly a sandbox token in production or the other way round: compare the lane's environment with the app's build"
        case "DeviceTokenNotForTopic":
            "the token belongs to another app: compare the message's own topic, or else the lane's bundle_id, with the app that registered it"
        case "TopicDisallowed", "BadTopic", "MissingTopic":
            "compare the lane's bundle_id with the app, and the key's rights with the topic"
        case "InvalidProviderToken", "MissingProviderToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken",
            "UnrelatedKeyIdInToken":
            "the lane's team_id, key_id and key_file do not belong together, or not to this environment"
        case "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken":
            "the lane's credentials are out of date, or the clock is wrong"
        case "PayloadTooLarge": "4,096 bytes are the most that APNs takes, 5,120 for voip"
        case "TooManyRequests": "too many notifications in a row to this one device"
        default: nil
        }
    }

    /// The same where one message was refused and its lane goes on: then it has mostly named a topic itself.
    static func text(ofMessageRefusedFor reason: String) -> String? {
        switch reason {
        case "TopicDisallowed", "BadTopic":
            "compare the message's own topic, or else the lane's bundle_id, with the app, and the key's rights with the topic"
        default: text(reason: reason)
        }
    }

    /// Whether a refusal is about the topic, which a message may have named itself.
    static func isTopicFault(reason: String) -> Bool {
        switch reason {
        case "DeviceTokenNotForTopic", "TopicDisallowed", "BadTopic": true
        default: false
        }
    }

    /// Whether a refusal is about the lane, which somebody has to correct, and not about one notification.
    static func isLaneFault(reason: String) -> Bool {
        switch reason {
        case "TopicDisallowed", "BadTopic", "MissingTopic", "InvalidProviderToken", "MissingProviderToken",
            "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "UnrelatedKeyIdInToken", "BadCertificate",
            "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden":
            true
        default: false
        }
    }
}
