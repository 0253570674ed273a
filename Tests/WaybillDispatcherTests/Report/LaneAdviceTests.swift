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
    ])
    func aParkedLaneIsToldByItsCause(cause: String, advice: String) {
        var lane = LaneStatus(name: "parcels")
        lane.state = .parked
        lane.cause = cause
        #expect(LaneAdvice.text(lane, provider: .apns)?.contains(advice) == true)
    }
}
