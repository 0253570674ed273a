package import WaybillAudience
import WaybillDeviceRegistry

/// Whom a campaign would tell when and over which lanes, if it were started now; of one that was started, whom it tells.
package struct CampaignForecast: Sendable {
    /// In the order of their times.
    package let parts: [CampaignPart]
    /// Of the devices that are told; `nil` where no lanes are known.
    package let reach: AudienceReach?

    /// How many devices are told, if all of them have a lane.
    package var devices: Int { parts.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices } }

    /// Why it reaches nobody; `nil` where it reaches somebody.
    package var whyNobody: String? {
        guard devices == 0 else { return reach?.whyNobody }
        guard !parts.isEmpty else { return "it was cancelled before its start" }
        return parts.first { $0.devices > 0 }?.skipped ?? "no device that may be pushed to matches"
    }

    /// How many devices are in which time zone.
    static func zones(_ shares: [DeviceShare]) -> [(name: String?, devices: Int)] {
        var sums: [String?: Int] = [:]
        for share in shares { sums[share.zone, default: 0] += share.devices }
        return sums.map { (name: $0.key, devices: $0.value) }
    }

    /// Those of a plan's parts that are not left out.
    static func told(_ shares: [DeviceShare], by parts: [CampaignPart]) -> [DeviceShare] {
        var named: [String: Bool] = [:]
        for part in parts { for zone in part.zones { named[zone] = part.skipped == nil } }
        let others = parts.contains { $0.zones.isEmpty && $0.skipped == nil }
        return shares.filter { $0.zone.flatMap { named[$0] } ?? others }
    }
}
