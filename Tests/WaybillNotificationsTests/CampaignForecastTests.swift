import Testing
import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillProviders

@testable import WaybillNotifications

/// Over which lanes those go who are told, and why nobody is.
struct CampaignForecastTests {
    private static let app = "com.example.parcels"
    private static let message = AudienceMessage(
        id: "autumn",
        client: "acme",
        content: Array(#""message":"Hello""#.utf8),
        selection: AudienceSelection(app: app, kind: .filter(AudienceFilter()))
    )
    private static let lanes = [Lane(name: "parcels", environment: .production, bundleID: app)]
    private static let skipped = "why"

    private static func share(_ environment: Environment, _ zone: String?, _ devices: Int) -> DeviceShare {
        DeviceShare(
            address: DeviceAddress(provider: .apns, app: app, environment: environment, token: ""),
            zone: zone,
            devices: devices
        )
    }

    private static let shares = [
        share(.production, "Europe/Vienna", 10), share(.production, "Asia/Kolkata", 20), share(.production, nil, 5),
        share(.sandbox, "Asia/Kolkata", 3), share(.sandbox, "Nowhere/X", 1),
    ]

    private static func forecast(_ shares: [DeviceShare], _ parts: [CampaignPart]) -> CampaignForecast {
        let told = CampaignForecast.told(shares, by: parts)
        return CampaignForecast(parts: parts, reach: AudienceReach(told, of: message, over: lanes))
    }

    @Test(
        arguments: [
            ([CampaignPart(at: nil, devices: 39)], 35, 4, nil),
            ([CampaignPart(at: 1, devices: 39, skipped: skipped)], 0, 0, skipped),
            (
                [
                    CampaignPart(at: nil, otherThan: ["Asia/Kolkata"], devices: 16, skipped: skipped),
                    CampaignPart(at: 2, zones: ["Asia/Kolkata"], devices: 23),
                ], 20, 3, nil
            ),
            (
                [
                    CampaignPart(at: nil, otherThan: ["Asia/Kolkata", "Europe/Vienna"], devices: 6),
                    CampaignPart(at: nil, zones: ["Asia/Kolkata", "Europe/Vienna"], devices: 33, skipped: skipped),
                ], 5, 1, nil
            ),
        ] as [([CampaignPart], Int, Int, String?)]
    )
    func lanesAreOfThoseWhoAreTold(parts: [CampaignPart], over: Int, without: Int, reason: String?) {
        let forecast = Self.forecast(Self.shares, parts)
        #expect(forecast.reach?.lanes.reduce(0) { $0 + $1.devices } == over)
        #expect(forecast.reach?.withoutLane == without)
        #expect(forecast.devices == over + without)
        #expect(forecast.whyNobody == reason)
    }

    @Test func whoReachesNobodyIsToldWhy() {
        let part = [CampaignPart(at: nil, devices: 4)]
        #expect(Self.forecast([Self.share(.sandbox, nil, 4)], part).whyNobody == "none of its devices has a lane")
        #expect(CampaignForecast(parts: part, reach: nil).whyNobody == nil, "no lanes are known")
        let none = [CampaignPart(at: nil, devices: 0)]
        #expect(CampaignForecast(parts: none, reach: nil).whyNobody == "no device that may be pushed to matches")
    }

    @Test func zonesAreCountedOverAllLanes() {
        let zones = CampaignForecast.zones(Self.shares)
        #expect(zones.count == 4)
        #expect(zones.first { $0.name == "Asia/Kolkata" }?.devices == 23)
        #expect(zones.first { $0.name == nil }?.devices == 5)
    }
}
