import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillNotifications

/// Campaigns as people and programs read them.
enum CampaignText {
    /// Who is told when, one line for each part.
    static func lines(_ parts: [CampaignPart], _ progress: [Int: PostedSummary] = [:]) -> [String] {
        parts.enumerated().map { number, part in
            let time = part.skipped.map { "skipped: \($0)" } ?? part.at.map(TimeText.text(milliseconds:)) ?? "at once"
            let others = (part.otherThan ?? []).isEmpty ? "" : "all other zones"
            let zones = part.zones.isEmpty ? others : part.zones.joined(separator: ", ")
            let summary = progress[number].map { "  \($0.state), handed over \($0.handedOver)" } ?? ""
            let place = zones.isEmpty ? "" : "  \(Cell.printable(zones))"
            return "\(time)  \(Counted.text(part.devices, "device"))\(summary)\(place)"
        }
    }

    /// Devices that are left out, one line for each reason.
    static func skipped(_ parts: [CampaignPart]) -> [String] {
        var sums: [String: Int] = [:]
        for part in parts where part.devices > 0 {
            if let reason = part.skipped { sums[reason, default: 0] += part.devices }
        }
        return sums.sorted { $0.key < $1.key }.map { "\(Counted.text($0.value, "device")) left out: \($0.key)" }
    }

    /// Who has paused or cancelled it, when, and what that means for its pushes; empty where nobody has.
    static func orders(_ campaign: Campaign, _ progress: [Int: PostedSummary]) -> [String] {
        func words(_ what: String, _ order: CampaignOrder) -> String {
            let by = order.by.map { " by \(Cell.printable($0))" } ?? ""
            return what + by + (order.at.map { " at \(TimeText.text(milliseconds: $0))" } ?? "")
        }
        if campaign.state == .cancelled {
            let order = campaign.cancelled ?? CampaignOrder(by: nil, at: nil)
            guard campaign.startedAt != nil else { return ["\(words("cancelled", order)): nothing of it was sent"] }
            let handedOver = progress.values.reduce(0) { $0 + $1.handedOver }
            let stopped = outcomes(progress).first { $0.name == Outcome.cancelled.rawValue }?.count ?? 0
            return [
                "\(words("cancelled", order)): nothing more of it is sent; of \(handedOver) that were handed over, \(stopped) were "
                    + "stopped on their way"
            ]
        }
        return campaign.held.map { ["\(words("paused", $0)): nothing more is handed over until it is resumed"] } ?? []
    }

    /// Behind a number of notifications that were handed over: how many more may have been; empty for none.
    static func unconfirmed(_ progress: some Collection<PostedSummary>) -> String {
        let count = progress.reduce(0) { $0 + $1.unconfirmed }
        return count > 0 ? ", and \(count) that the broker may have" : ""
    }

    /// By outcome, in the order of their names.
    static func outcomes(_ progress: [Int: PostedSummary]) -> [(name: String, count: Int)] {
        var sums: [String: Int] = [:]
        for outcome in progress.values.flatMap(\.outcomes) { sums[outcome.name, default: 0] += outcome.count }
        return sums.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) }
    }

    static func object(_ campaign: Campaign, _ progress: [Int: PostedSummary]) -> JSONObject {
        var object = JSONObject()
        object.add("name", campaign.name)
        object.add("client", campaign.client)
        object.add("state", campaign.stateName(progress))
        object.add("created_at", TimeText.text(milliseconds: campaign.createdAt))
        object.add("created_by", campaign.createdBy)
        object.add("started_at", campaign.startedAt.map { TimeText.text(milliseconds: $0) })
        object.add("paused_by", campaign.held?.by)
        object.add("paused_at", campaign.held?.at.map { TimeText.text(milliseconds: $0) })
        object.add("cancelled_by", campaign.cancelled?.by)
        object.add("cancelled_at", campaign.cancelled?.at.map { TimeText.text(milliseconds: $0) })
        object.add("planned", campaign.parts.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices })
        object.add("skipped", campaign.parts.filter { $0.skipped != nil }.reduce(0) { $0 + $1.devices })
        object.add("devices", progress.values.reduce(0) { $0 + $1.devices })
        let leftOut = Campaign.leftOut(progress)
        object.add("without_lane", leftOut.withoutLane)
        object.add("without_content", leftOut.withoutContent)
        object.add("handed_over", progress.values.reduce(0) { $0 + $1.handedOver })
        object.add("unconfirmed", progress.values.reduce(0) { $0 + $1.unconfirmed })
        var outcomes = JSONObject()
        for (name, count) in self.outcomes(progress) { outcomes.add(name, count) }
        object.add("outcomes", outcomes)
        object.add("outcomes_at", Campaign.countedAt(progress).map { TimeText.text(milliseconds: $0) })
        return object
    }
}
