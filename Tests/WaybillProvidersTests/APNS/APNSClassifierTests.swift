import Testing
import WaybillAPNS
import WaybillCore
import WaybillProviders
import WaybillPushTransport

/// Every reason that Apple documents, and what may come besides.
struct APNSClassifierTests {
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
            (403, "UnrelatedKeyIdInToken", .retryLater(.laneFault)),
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
        ] as [(Int, String?, Disposition.Step)]
    )
    func answers(status: Int, reason: String?, expected: Disposition.Step) {
        #expect(APNSClassifier.classify(.answered(Self.answer(status, reason))).step == expected)
        // What a record says of its token later is what was said of the answer.
        if case .final(let outcome, let verdict) = expected {
            #expect(ProviderName.apns.tokenVerdict(recorded: outcome, statusCode: status) == verdict)
        }
    }

    @Test(
        arguments: [
            (200, nil, .sound), (400, "BadCollapseId", .sound), (400, "BadDeviceToken", .sound),
            (410, "Unregistered", .sound), (413, "PayloadTooLarge", .sound), (429, "TooManyRequests", .sound),
            (503, "ServiceUnavailable", .sound),
            (400, "TopicDisallowed", .refused("TopicDisallowed")), (403, "Forbidden", .refused("Forbidden")),
            (403, nil, .refused("status 403")),
            // A refused provider token is no sign of a sound lane, whatever the status.
            (403, "ExpiredProviderToken", .refused("ExpiredProviderToken")),
            (429, "TooManyProviderTokenUpdates", .refused("TooManyProviderTokenUpdates")),
            (403, "UnrelatedKeyIdInToken", .refused("UnrelatedKeyIdInToken")),
            (400, "IdleTimeout", .none), (503, "Shutdown", .none),
        ] as [(Int, String?, LaneSign)]
    )
    func whatAnAnswerSaysOfTheLane(status: Int, reason: String?, sign: LaneSign) {
        #expect(APNSClassifier.classify(.answered(Self.answer(status, reason))).lane == sign)
    }

    /// A refused provider token is about the lane, a 429 about one device, and a 5xx about its push until several come in a row.
    @Test(
        arguments: [
            (503, "ServiceUnavailable", 7, .overloaded(seconds: 7, "ServiceUnavailable, Retry-After")),
            (503, "Shutdown", 7, .overloaded(seconds: 7, "Shutdown, Retry-After")),
            (503, "ServiceUnavailable", 0, .sound),
            (429, "TooManyProviderTokenUpdates", 700, .hold(seconds: 700, "TooManyProviderTokenUpdates, Retry-After")),
            (429, "TooManyProviderTokenUpdates", 7, .hold(seconds: 30, "TooManyProviderTokenUpdates, Retry-After")),
            (429, "TooManyRequests", 7, .sound), (403, "Forbidden", 7, .refused("Forbidden")),
        ] as [(Int, String, Int, LaneSign)]
    )
    func retryAfter(status: Int, reason: String, seconds: Int, sign: LaneSign) {
        let answer = APNSAnswer(status: status, reason: APNSReason(rawValue: reason), retryAfter: .seconds(seconds))
        #expect(APNSClassifier.classify(.answered(answer)).lane == sign)
        #expect(answer.retryAfterSeconds == seconds)
    }

    /// One producer's own topic never parks the lane, whatever status APNs gives it.
    @Test(
        arguments: [
            (400, "BadTopic", .final(.rejected, nil)), (400, "TopicDisallowed", .final(.rejected, nil)),
            (400, "MissingTopic", .final(.rejected, nil)),
            (403, "InvalidProviderToken", .retryLater(.otherTopic)), (403, "BadCertificate", .retryLater(.otherTopic)),
            (403, "BadCertificateEnvironment", .retryLater(.otherTopic)),
            (403, "MissingProviderToken", .retryLater(.otherTopic)),
            (403, "BadEnvironmentKeyIdInToken", .retryLater(.otherTopic)),
            (403, "BadEnvironmentKeyInToken", .retryLater(.otherTopic)),
            (403, "UnrelatedKeyIdInToken", .retryLater(.otherTopic)),
            (403, "ExpiredProviderToken", .retryLater(.otherTopic)),
            (429, "TooManyProviderTokenUpdates", .retryLater(.otherTopic)),
        ] as [(Int, String?, Disposition.Step)]
    )
    func aTopicThatIsNotTheLanesSaysNothingOfTheLane(status: Int, reason: String?, expected: Disposition.Step) {
        let disposition = APNSClassifier.classify(.answered(Self.answer(status, reason)), topic: .foreign)
        #expect(disposition.step == expected)
        #expect(disposition.lane == .none)
        let derived = APNSClassifier.classify(.answered(Self.answer(status, reason)), topic: .derived)
        #expect(derived.step == expected)
    }

    /// A 403 that nobody knows is a producer's own fault where the topic is the producer's, and a doubt where the lane derived
    /// it: nothing is lost, and a lane of such topics alone is parked.
    @Test(arguments: ["Forbidden", nil, "SomethingNew"])
    func anUnknownRefusalIsTheProducersOrADoubt(reason: String?) {
        let result = APNSResult.answered(Self.answer(403, reason))
        #expect(APNSClassifier.classify(result, topic: .foreign) == Disposition(.final(.rejected, nil)))
        let doubt = LaneSign.doubtful(reason ?? "status 403")
        #expect(APNSClassifier.classify(result, topic: .derived) == Disposition(.retryLater(.otherTopic), lane: doubt))
    }

    /// A key is refused for a topic that the lane derived: that may be the key's fault, and for a certificate it need not be.
    @Test(
        arguments: [
            ("InvalidProviderToken", true), ("MissingProviderToken", true), ("BadEnvironmentKeyIdInToken", true),
            ("BadEnvironmentKeyInToken", true), ("UnrelatedKeyIdInToken", true), ("BadCertificate", false),
            ("BadCertificateEnvironment", false), ("ExpiredProviderToken", false),
        ]
    )
    func aRefusedKeyIsDoubtedByWhatTheLaneDerives(reason: String, isDoubtful: Bool) {
        let disposition = APNSClassifier.classify(.answered(Self.answer(403, reason)), topic: .derived)
        #expect(disposition.lane == (isDoubtful ? .doubtful(reason) : .none))
    }

    @Test(arguments: [(410, "Unregistered"), (400, "PayloadEmpty"), (503, "ServiceUnavailable"), (400, "IdleTimeout")])
    func whatIsNotAboutATopicIsTheSameForEveryTopic(status: Int, reason: String) {
        let result = APNSResult.answered(Self.answer(status, reason))
        #expect(APNSClassifier.classify(result, topic: .foreign) == APNSClassifier.classify(result))
    }

    @Test(
        arguments: [
            (.unreachable("no such name"), .unreachable("unreachable: no such name")),
            (.credentials("no key"), .unreachable("credentials: no key")),
            // There are connections; whether others were answered beside it tells what that means.
            (.unreachable(), .starved("unreachable")), (.goAway, .starved(PushFailureCause.goAway.description)),
            (.refusedStream, .starved(PushFailureCause.refusedStream.description)),
            (.connectionLost("reset by peer"), .starved("connection_lost: reset by peer")),
            (.parked, .none), (.expired, .none), (.cancelled, .none), (.closed, .none),
        ] as [(PushFailureCause, LaneSign)]
    )
    func notSent(cause: PushFailureCause, sign: LaneSign) {
        let disposition = APNSClassifier.classify(.failed(.notSent(cause)), resendsUnknown: true)
        #expect(disposition == Disposition(.retryLater(.notSent), lane: sign))
    }

    /// Unknown is the last word only where a repeat could be seen.
    @Test func unanswered() {
        let result = APNSResult.failed(.unknown(.timeout))
        #expect(APNSClassifier.classify(result).step == .final(.unknown, nil))
        #expect(APNSClassifier.classify(result, resendsUnknown: true).step == .retryLater(.unanswered))
    }

    private static func answer(_ status: Int, _ reason: String?) -> APNSAnswer {
        APNSAnswer(status: status, reason: reason.map(APNSReason.init(rawValue:)))
    }
}
