import Testing
import WaybillAPNS
import WaybillCore
import WaybillPushTransport

@testable import WaybillDispatcher
@testable import WaybillProviders

struct OutcomeHandlerTests {
    /// Members of a notification, APNs' answer to it, and what is to be done.
    ///
    /// The lane's bundle id is com.example.parcels.
    struct Refusal: Sendable {
        var members = ""
        var status = 400
        var reason = "TopicDisallowed"
        var disposition: Disposition.Step

        static let parking = Disposition.Step.retryLater(.laneFault)
        static let refusing = Disposition.Step.final(.rejected, nil)
        static let waiting = Disposition.Step.retryLater(.otherTopic)
    }

    static let refusals = [
        Refusal(disposition: Refusal.parking),
        Refusal(reason: "BadTopic", disposition: Refusal.parking),
        Refusal(reason: "MissingTopic", disposition: Refusal.parking),
        Refusal(members: #","topic":"com.example.parcels""#, disposition: Refusal.parking),
        Refusal(members: #","push_type":"background""#, disposition: Refusal.parking),
        // Derived from a push type that the producer chose.
        Refusal(members: #","push_type":"voip""#, disposition: Refusal.refusing),
        Refusal(members: #","push_type":"voip""#, reason: "BadTopic", disposition: Refusal.refusing),
        Refusal(members: #","push_type":"liveactivity""#, disposition: Refusal.refusing),
        Refusal(members: #","push_type":"voip","topic":"com.example.parcels.voip""#, disposition: Refusal.refusing),
        // The lane's own topic with a push type that needs another one.
        Refusal(members: #","push_type":"voip","topic":"com.example.parcels""#, disposition: Refusal.refusing),
        Refusal(members: #","topic":"com.example.elsewhere""#, disposition: Refusal.refusing),
        // Whatever status the topic gets: the lane is left alone.
        Refusal(
            members: #","topic":"com.example.elsewhere""#,
            status: 403,
            reason: "Forbidden",
            disposition: Refusal.refusing
        ),
        // Nobody knows whether it is about the key or about the topic that the lane has derived.
        Refusal(members: #","push_type":"voip""#, status: 403, reason: "Forbidden", disposition: Refusal.waiting),
        Refusal(
            members: #","topic":"com.example.elsewhere""#,
            status: 403,
            reason: "InvalidProviderToken",
            disposition: Refusal.waiting
        ),
        Refusal(
            members: #","topic":"com.example.elsewhere""#,
            status: 429,
            reason: "TooManyProviderTokenUpdates",
            disposition: Refusal.waiting
        ),
        Refusal(status: 403, reason: "InvalidProviderToken", disposition: Refusal.parking),
        // What is not about a topic is the same for every topic.
        Refusal(members: #","push_type":"voip""#, reason: "PayloadEmpty", disposition: Refusal.refusing),
        Refusal(
            members: #","push_type":"voip""#,
            reason: "DeviceTokenNotForTopic",
            disposition: .final(.tokenInvalid, .suspect)
        ),
        Refusal(members: #","push_type":"voip""#, status: 503, disposition: .retryLater(.serverFault)),
    ]

    @Test(arguments: refusals)
    func onlyTheLanesOwnTopicParksIt(refusal: Refusal) throws {
        let message = try #require(
            Samples.message(#"[{"device_token":"aa01","payload":{"aps":{}}\#(refusal.members)}]"#)
        )
        let answer = APNSAnswer(status: refusal.status, reason: APNSReason(rawValue: refusal.reason))
        let outcome = APNSOutcome(owner: message, index: 0, result: .answered(answer), latency: 1, attempts: 1)
        let disposition = SendEnds([outcome]).end(at: 0, of: message.batch, lanes: Samples.lanes).disposition
        #expect(disposition.step == refusal.disposition)
        let parks = if case .refused = disposition.lane { true } else { false }
        #expect(parks == (refusal.disposition == Refusal.parking))
    }

    @Test func whatIsNoErrorIsNoQuestionOfTopics() throws {
        let message = try #require(Samples.message(#"[{"device_token":"aa01","payload":{},"push_type":"voip"}]"#))
        func classify(_ result: APNSResult) -> Disposition.Step {
            let outcome = APNSOutcome(owner: message, index: 0, result: result, latency: 1, attempts: 1)
            return SendEnds([outcome]).end(at: 0, of: message.batch, lanes: Samples.lanes).disposition.step
        }
        #expect(classify(.answered(APNSAnswer(status: 200))) == .final(.accepted, nil))
        #expect(classify(.failed(.notSent(.unreachable()))) == .retryLater(.notSent))
        #expect(classify(.failed(.unknown(.timeout))) == .final(.unknown, nil))
    }
}
