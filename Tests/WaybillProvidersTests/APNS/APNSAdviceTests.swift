import Testing
import WaybillProviders

/// What operators are told of a reason beside the word itself.
struct APNSAdviceTests {
    @Test(
        arguments: [
            ("Unregistered", "stop sending"), ("ExpiredToken", "stop sending"),
            ("BadDeviceToken", "the lane's environment"), ("DeviceTokenNotForTopic", "another app"),
            ("TopicDisallowed", "bundle_id"), ("BadTopic", "bundle_id"), ("MissingTopic", "bundle_id"),
            ("InvalidProviderToken", "key_file"), ("MissingProviderToken", "key_file"),
            ("BadEnvironmentKeyIdInToken", "key_file"), ("BadEnvironmentKeyInToken", "key_file"),
            ("UnrelatedKeyIdInToken", "key_file"),
            ("BadCertificate", "out of date"), ("BadCertificateEnvironment", "out of date"),
            ("ExpiredProviderToken", "out of date"), ("PayloadTooLarge", "5,120 for voip"),
            ("TooManyRequests", "one device"),
        ]
    )
    func aReasonThatLeavesAQuestionIsExplained(reason: String, words: String) {
        #expect(ProviderName.apns.advice(reason: reason)?.contains(words) == true)
    }

    /// A lane whose own topic is refused is parked, and its messages wait.
    @Test(
        arguments: [
            ("rejected", "TopicDisallowed", "compare the message's own topic"),
            ("rejected", "BadTopic", "compare the message's own topic"),
            ("deferred", "TopicDisallowed", "compare the lane's bundle_id"),
            ("token_invalid", "DeviceTokenNotForTopic", "compare the message's own topic"),
            ("rejected", "PayloadTooLarge", "5,120 for voip"),
        ]
    )
    func aRefusedMessageIsLookedAtBeforeItsLane(outcome: String, reason: String, words: String) {
        #expect(ProviderName.apns.advice(recorded: outcome, reason: reason)?.contains(words) == true)
    }

    @Test(arguments: ["BadPriority", "IdleTimeout", "SomethingNew", ""])
    func aWordThatSaysEnoughIsLeftAlone(reason: String) {
        #expect(ProviderName.apns.advice(reason: reason) == nil)
    }

    @Test(
        arguments: [
            ("InvalidProviderToken", true), ("ExpiredProviderToken", true), ("BadCertificate", true),
            ("TopicDisallowed", true), ("Forbidden", true), ("BadDeviceToken", false), ("TooManyRequests", false),
            ("ServiceUnavailable", false), ("", false),
        ]
    )
    func whatSomebodyHasToCorrectIsKnown(reason: String, isLaneFault: Bool) {
        #expect(ProviderName.apns.isLaneFault(reason: reason) == isLaneFault)
    }
}
