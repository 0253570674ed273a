import Testing
import WaybillAPNS
import WaybillCore

/// Every reason that Apple documents, and what may come besides.
struct ClassifierTests {
    @Test(
        arguments: [
            (200, nil, .final(.accepted, nil)),
            (400, "BadCollapseId", .final(.rejected, nil)),
            (400, "BadDeviceToken", .final(.tokenInvalid, .suspect)),
            (400, "BadExpirationDate", .final(.rejected, nil)),
            (400, "BadMessageId", .final(.rejected, nil)),
            (400, "BadPriority", .final(.rejected, nil)),
            (400, "BadTopic", .retryLater(.laneFault)),
            (400, "DeviceTokenNotForTopic", .final(.tokenInvalid, .suspect)),
            (400, "DuplicateHeaders", .final(.rejected, nil)),
            (400, "IdleTimeout", .retryLater(.connection)),
            (400, "InvalidPushType", .final(.rejected, nil)),
            (400, "MissingDeviceToken", .final(.rejected, nil)),
            (400, "MissingTopic", .retryLater(.laneFault)),
            (400, "PayloadEmpty", .final(.rejected, nil)),
            (400, "TopicDisallowed", .retryLater(.laneFault)),
            (403, "BadCertificate", .retryLater(.laneFault)),
            (403, "BadCertificateEnvironment", .retryLater(.laneFault)),
            (403, "ExpiredProviderToken", .retryLater(.providerToken)),
            (403, "Forbidden", .retryLater(.laneFault)),
            (403, "InvalidProviderToken", .retryLater(.laneFault)),
            (403, "MissingProviderToken", .retryLater(.laneFault)),
            (403, "UnrelatedKeyIdInToken", .retryLater(.connection)),
            (403, "BadEnvironmentKeyIdInToken", .retryLater(.laneFault)),
            (403, "BadEnvironmentKeyInToken", .retryLater(.laneFault)),
            (404, "BadPath", .final(.rejected, nil)),
            (405, "MethodNotAllowed", .final(.rejected, nil)),
            (410, "ExpiredToken", .final(.tokenInvalid, .dead)),
            (410, "Unregistered", .final(.tokenInvalid, .dead)),
            (413, "PayloadTooLarge", .final(.rejected, nil)),
            (429, "TooManyProviderTokenUpdates", .retryLater(.providerToken)),
            (429, "TooManyRequests", .retryLater(.tokenThrottled)),
            (500, "InternalServerError", .retryLater(.serverFault)),
            (503, "ServiceUnavailable", .retryLater(.serverFault)),
            (503, "Shutdown", .retryLater(.connection)),
            // Not documented
            (400, "SomethingNew", .final(.rejected, nil)),
            (400, nil, .final(.rejected, nil)),
            (403, "SomethingNew", .retryLater(.laneFault)),
            (410, "SomethingNew", .final(.tokenInvalid, .dead)),
            (410, nil, .final(.tokenInvalid, .dead)),
            (429, nil, .retryLater(.tokenThrottled)),
            (502, nil, .retryLater(.serverFault)),
            (302, nil, .final(.rejected, nil)),
            // A reason that belongs to another status does not count.
            (500, "BadDeviceToken", .retryLater(.serverFault)),
            (413, "Unregistered", .final(.rejected, nil)),
        ] as [(Int, String?, Disposition)]
    )
    func answers(status: Int, reason: String?, expected: Disposition) {
        let answer = APNSAnswer(status: status, reason: reason.map(APNSReason.init(rawValue:)))
        #expect(Classifier.classify(.answered(answer)) == expected)
    }

    @Test(
        arguments: [
            (400, "BadTopic", .final(.rejected, nil)), (400, "TopicDisallowed", .final(.rejected, nil)),
            (400, "MissingTopic", .final(.rejected, nil)), (403, "InvalidProviderToken", .retryLater(.laneFault)),
            (403, "Forbidden", .retryLater(.laneFault)), (410, "Unregistered", .final(.tokenInvalid, .dead)),
        ] as [(Int, String, Disposition)]
    )
    func aTopicThatIsNotTheLanesIsItsNotificationsFault(status: Int, reason: String, expected: Disposition) {
        let answer = APNSAnswer(status: status, reason: APNSReason(rawValue: reason))
        #expect(Classifier.classify(.answered(answer), hasForeignTopic: true) == expected)
    }

    @Test func failures() {
        #expect(Classifier.classify(.failed(.notSent(.unreachable()))) == .retryLater(.notSent))
        #expect(Classifier.classify(.failed(.unknown(.timeout))) == .final(.unknown, nil))
    }
}
