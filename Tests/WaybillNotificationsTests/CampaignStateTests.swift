import Testing
import WaybillAudience

@testable import WaybillNotifications

/// For which moment the outcomes of a campaign's parts hold.
struct CampaignStateTests {
    private static func part(_ state: String, handedOver: Int, countedAt: Int64?) -> PostedSummary {
        PostedSummary(
            state: state,
            devices: handedOver,
            handedOver: handedOver,
            unconfirmed: 0,
            leftOut: AudienceLeftOut(),
            outcomes: [],
            isHeld: false,
            countedAt: countedAt
        )
    }

    @Test(
        arguments: [
            ([], nil),
            ([part("sending", handedOver: 3, countedAt: 70)], 70),
            ([part("sent", handedOver: 3, countedAt: 70)], nil),
            // What waits has no outcomes, however long ago somebody looked.
            ([part("sending", handedOver: 3, countedAt: 70), part("scheduled", handedOver: 0, countedAt: 10)], 70),
            ([part("sent", handedOver: 3, countedAt: 70), part("scheduled", handedOver: 0, countedAt: 10)], nil),
            // What has ended stays as it is.
            ([part("sending", handedOver: 3, countedAt: 70), part("sent", handedOver: 3, countedAt: 60)], 70),
            ([part("sending", handedOver: 3, countedAt: 70), part("sent", handedOver: 3, countedAt: 80)], nil),
            ([part("sending", handedOver: 3, countedAt: 70), part("sending", handedOver: 3, countedAt: 70)], 70),
            ([part("sending", handedOver: 3, countedAt: 70), part("sending", handedOver: 3, countedAt: 69)], nil),
            ([part("sending", handedOver: 3, countedAt: 70), part("sending", handedOver: 3, countedAt: nil)], nil),
        ] as [([PostedSummary], Int64?)]
    )
    func itIsSaidWhereTheyAllHold(parts: [PostedSummary], countedAt: Int64?) {
        let progress = Dictionary(uniqueKeysWithValues: parts.enumerated().map { ($0.offset, $0.element) })
        #expect(Campaign.countedAt(progress) == countedAt)
    }
}
