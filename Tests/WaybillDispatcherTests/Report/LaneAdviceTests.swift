import Testing
import WaybillCore
import WaybillProviders
import WaybillPushTransport
import WaybillTelemetry

@testable import WaybillDispatcher

struct LaneAdviceTests {
    /// An answer is the provider's; what is no answer may be the network's.
    @Test(
        arguments: [
            ("ServiceUnavailable, Retry-After", nil, "APNs itself asks"),
            ("InternalServerError", nil, "APNs itself asks"),
            // What failed before has nothing to do with an answer.
            ("InternalServerError", .certificate, "APNs itself asks"),
            ("127.0.0.1:443: connection refused", .network, "look at the network"),
            ("no answer within 5 s", nil, "look at the network"),
            ("credentials: in other words", .key, "Correct service_account_file"),
            ("credentials: in other words", .clock, "Set this machine's clock"),
            ("TLS: in other words", .certificate, "the lane's trust_file"),
            ("credentials: the token endpoint answered 503", .token, "look at the network"),
        ] as [(String, PushObstacle.Kind?, String)]
    )
    func aParkedLaneIsToldByItsCause(cause: String, obstacle: PushObstacle.Kind?, advice: String) {
        var lane = LaneStatus(name: "parcels")
        lane.state = .parked
        lane.cause = cause
        #expect(LaneAdvice.text(lane, provider: .apns, obstacle: obstacle)?.contains(advice) == true)
    }
}
