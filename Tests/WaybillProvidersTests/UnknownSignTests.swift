import Testing
import WaybillAPNS
import WaybillCore
import WaybillFCM
import WaybillPushTransport

@testable import WaybillProviders

@Suite("What a push without an answer says of its lane")
struct UnknownSignTests {
    @Test(
        "also where it may have been taken once",
        arguments: [
            (.timeout, .unanswered("timeout")), (.unreachable(nil), .starved("unreachable")),
            (.unreachable("refused"), .unreachable("unreachable: refused")),
            (.credentials("no key"), .unreachable("credentials: no key")), (.connectionLost("reset by peer"), .none),
            (.goAway, .none), (.parked, .none), (.closed, .none),
        ] as [(PushFailureCause, LaneSign)]
    )
    func sign(cause: PushFailureCause, sign: LaneSign) {
        let apns = APNSClassifier.classify(.failed(.unknown(cause)), resendsUnknown: true)
        #expect(apns == Disposition(.retryLater(.unanswered), lane: sign))
        #expect(FCMClassifier.classify(.failed(.unknown(cause))) == Disposition(.final(.unknown, nil), lane: sign))
    }
}
