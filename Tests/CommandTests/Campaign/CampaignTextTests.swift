import ArgumentParser
import Testing
import WaybillMessages
import WaybillNotifications

@testable import waybill

/// Campaigns in words.
struct CampaignTextTests {
    private static let time: Int64 = 1_790_000_000_000

    private static func campaign(_ change: (inout Campaign) -> Void) -> Campaign {
        let selection = AudienceSelection(app: "com.example.parcels", kind: .filter(AudienceFilter()))
        var campaign = Campaign(
            name: "autumn",
            client: "acme",
            content: CampaignContent(body: "News", selection: selection),
            timing: CampaignTiming(start: .now, zone: "UTC"),
            createdAt: time,
            createdBy: "anna@push-1"
        )
        change(&campaign)
        return campaign
    }

    /// A time without a zone would be anybody's hour.
    @Test(arguments: ["2026-12-24T18:00", "2026-12-24 18:00", "2026-12-24", "soon"])
    func aMomentHasAZone(text: String) throws {
        let told = #expect(throws: ValidationError.self) { try CampaignTime.read(text, "--at") }
        #expect(told?.message.contains("'--local-at'") == true)
        #expect(throws: CommandFailure.self) { try AudienceSendCommand.time(text) }
        #expect(try CampaignTime.read("2026-12-24T18:00+01:00", "--at") == 1_798_131_600_000)
    }

    @Test(
        arguments: [
            (campaign { _ in }, []),
            (
                campaign { campaign in
                    campaign.state = .started
                    campaign.held = CampaignOrder(by: "ben@push-1", at: time)
                }, ["paused by ben@push-1 at 2026-09-21T14:13:20.000Z: nothing more is handed over until it is resumed"]
            ),
            (
                campaign { campaign in
                    campaign.state = .cancelled
                    campaign.cancelled = CampaignOrder(by: "ben@push-1", at: time)
                }, ["cancelled by ben@push-1 at 2026-09-21T14:13:20.000Z: nothing of it was sent"]
            ),
            (
                campaign { campaign in
                    campaign.state = .cancelled
                    campaign.startedAt = time
                },
                [
                    "cancelled: nothing more of it is sent; of 0 that were handed over, 0 were stopped on their way"
                ]
            ),
        ] as [(Campaign, [String])]
    )
    func whoHasPausedOrCancelledItIsSaid(campaign: Campaign, lines: [String]) {
        #expect(CampaignText.orders(campaign, [:]) == lines)
    }

    @Test func whoIsLeftOutIsSaidOnceForEachReason() {
        let parts = [
            CampaignPart(at: nil, zones: ["Asia/Tokyo"], devices: 2, skipped: "the time has passed there"),
            CampaignPart(at: Self.time, zones: ["Europe/Vienna"], devices: 4),
            CampaignPart(at: nil, otherThan: [], devices: 3, skipped: "the time has passed there"),
            CampaignPart(at: nil, zones: ["Asia/Kolkata"], devices: 1, skipped: "it would come after its end"),
            CampaignPart(at: nil, zones: ["Asia/Dubai"], devices: 0, skipped: "another reason"),
        ]
        #expect(
            CampaignText.skipped(parts) == [
                "1 device left out: it would come after its end", "5 devices left out: the time has passed there",
            ]
        )
    }
}
