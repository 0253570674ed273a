import Testing
import WaybillCore
import WaybillProviders
import WaybillTelemetry

@testable import WaybillDispatcher

struct LaneAdviceTests {
    /// An answer is the provider's; what is no answer may be the network's.
    @Test(arguments: [
        ("ServiceUnavailable, Retry-After", "APNs itself asks"), ("InternalServerError", "APNs itself asks"),
        ("127.0.0.1:443: connection refused", "look at the network"), ("no answer within 5 s", "look at the network"),
        ("credentials: the token endpoint refuses the key: invalid_grant", "Correct service_account_file"),
        ("credentials: the token endpoint refuses the time of this machine's clock", "Set this machine's clock"),
        ("TLS: the server's certificate is refused: self-signed certificate", "the lane's trust_file"),
        ("credentials: the token endpoint answered 503", "look at the network"),
    ])
    func aParkedLaneIsToldByItsCause(cause: String, advice: String) {
        var lane = LaneStatus(name: "parcels")
        lane.state = .parked
        lane.cause = cause
        #expect(LaneAdvice.text(lane, provider: .apns)?.contains(advice) == true)
    }
}
