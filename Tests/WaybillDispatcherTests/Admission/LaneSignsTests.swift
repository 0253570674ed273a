import Testing
import WaybillCore

@testable import WaybillDispatcher

struct LaneSignsTests {
    private static let refused = LaneSign.refused("InvalidProviderToken")
    private static let starved = LaneSign.starved("refusedStream")
    private static let doubt = LaneSign.doubtful("InvalidProviderToken")
    private static let gone = LaneSign.unreachable("no route")
    private static let hold = LaneSign.hold(seconds: 9, "QUOTA_EXCEEDED, Retry-After")
    private static let busy = LaneSign.overloaded(seconds: 9, "UNAVAILABLE, Retry-After")

    @Test(
        arguments: [
            ([], false, .nothing), ([.none], false, .nothing), ([.none], true, .returnProbe),
            ([.sound], false, .close), ([.sound], true, .close), ([.none, .sound], true, .close),
            ([refused], true, .trip(.refused, reason: "InvalidProviderToken")),
            ([.sound, refused, .sound], false, .trip(.refused, reason: "InvalidProviderToken")),
            ([gone, .none], true, .trip(.unreachable, reason: "no route")),
            // One that waited for too long behind others, on a lane that answers.
            ([gone, .sound], false, .close),
            ([hold, .sound], true, .trip(.hold(.seconds(9)), reason: "QUOTA_EXCEEDED, Retry-After")),
            ([busy], true, .overload(seconds: 9, reason: "UNAVAILABLE, Retry-After", isProbe: true)),
            (
                [busy, .overloaded(seconds: 2, "INTERNAL, Retry-After"), busy, .none, starved, gone], false,
                .overload(seconds: 2, reason: "INTERNAL, Retry-After", isProbe: false)
            ),
            ([busy, .sound], false, .close),
            ([busy, hold], false, .trip(.hold(.seconds(9)), reason: "QUOTA_EXCEEDED, Retry-After")),
            (
                [hold, .hold(seconds: 20, "Shutdown, Retry-After"), hold], false,
                .trip(.hold(.seconds(20)), reason: "Shutdown, Retry-After")
            ),
            ([starved], true, .starve(reason: "refusedStream")), ([starved, .sound], false, .close),
            ([starved, gone], false, .trip(.unreachable, reason: "no route")),
            ([doubt, .none], false, .doubt(reason: "InvalidProviderToken")),
            ([doubt], true, .doubt(reason: "InvalidProviderToken")), ([doubt, .sound], true, .close),
            ([hold, refused], false, .trip(.refused, reason: "InvalidProviderToken")),
        ] as [([LaneSign], Bool, LaneSigns.Verdict)]
    )
    func oneTurnHasOneVerdict(signs: [LaneSign], isProbe: Bool, verdict: LaneSigns.Verdict) {
        var taken = LaneSigns()
        for sign in signs { taken.note(sign, isProbe: isProbe) }
        #expect(taken.verdict == verdict)
    }
}
