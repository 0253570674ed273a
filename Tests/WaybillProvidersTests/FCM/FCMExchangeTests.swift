import Testing
import WaybillFCM
import WaybillPushTransport

@testable import WaybillProviders

@Suite("What it shows that no access token is had")
struct FCMExchangeTests {
    @Test(
        "an endpoint that is away refuses nothing",
        arguments: [
            (.network, .unreachable), (.certificate, .unreachable), (.token, .unreachable), (.key, .refused),
            (.clock, .refused),
        ] as [(PushObstacle.Kind, LaneProof.Verdict)]
    )
    func verdict(kind: PushObstacle.Kind, verdict: LaneProof.Verdict) {
        let proof = LaneProof(without: AccessTokenMachine.Problem(kind, "connection refused"))
        #expect(proof == LaneProof(verdict, "no access token: connection refused"))
    }
}
