import Testing
import WaybillAPNS

@testable import WaybillProviders

@Suite("What APNs' answer to an impossible token shows")
struct APNSProofTests {
    @Test(
        "each kind of answer",
        arguments: [
            (200, nil, LaneProof.Verdict.open, "an impossible device token was accepted"),
            (
                400, "BadDeviceToken", .proven,
                "APNs refused the impossible device token and nothing else (400 BadDeviceToken)"
            ),
            (410, "Unregistered", .proven, "APNs refused the impossible device token"),
            (
                403, "InvalidProviderToken", .refused,
                "APNs refuses the lane (403 InvalidProviderToken): the lane's team_id"
            ),
            (
                400, "TopicDisallowed", .refused,
                "APNs refuses the lane (400 TopicDisallowed): compare the lane's bundle_id"
            ),
            (403, "ANewReason", .refused, "APNs refuses the lane (403 ANewReason)"),
            (403, "ExpiredProviderToken", .refused, "APNs refuses the lane (403 ExpiredProviderToken)"),
            (429, "TooManyRequests", .open, "APNs did not judge it (429 TooManyRequests)"),
            (503, nil, .open, "APNs did not judge it (503 no reason)"),
        ]
    )
    func answers(status: Int, reason: String?, verdict: LaneProof.Verdict, words: String) {
        let response = APNSResponse(
            apnsID: .random(),
            status: status,
            reason: reason.map(APNSReason.init(rawValue:))
        )
        let proof = APNSProof.judge(response)
        #expect(proof.verdict == verdict)
        #expect(proof.text.hasPrefix(words), "\(proof.text)")
    }
}
