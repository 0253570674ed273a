import WaybillAudience
import WaybillEncoding
import WaybillMessages
import WaybillNotifications

/// Campaigns as programs read them.
enum CampaignAnswer {
    /// - Parameters:
    ///   - campaign: which.
    ///   - progress: of its parts, by their numbers.
    ///   - client: whose it is where it does not say so.
    ///   - isFull: with its content and its parts.
    ///   - leftOut: devices that nothing will be sent to, by the registry, before its parts have found any.
    /// - Returns: an object.
    static func object(
        _ campaign: Campaign,
        _ progress: [Int: PostedSummary],
        client: String,
        isFull: Bool,
        leftOut: AudienceLeftOut = AudienceLeftOut()
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("name", campaign.name)
        json.member("client", campaign.client ?? client)
        json.member("state", campaign.stateName(progress))
        json.member("created_at", TimeText.text(milliseconds: campaign.createdAt))
        json.member("created_by", lineSafe: campaign.createdBy)
        json.member("started_at", campaign.startedAt.map { TimeText.text(milliseconds: $0) })
        json.member("title", campaign.text("title"))
        json.member("body", campaign.text("body"))
        json.member("planned", campaign.parts.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices })
        json.member("skipped", campaign.parts.filter { $0.skipped != nil }.reduce(0) { $0 + $1.devices })
        json.member("devices", progress.values.reduce(0) { $0 + $1.devices })
        let found = Campaign.leftOut(progress)
        json.member("without_lane", max(found.withoutLane, leftOut.withoutLane))
        json.member("without_content", max(found.withoutContent, leftOut.withoutContent))
        json.member("handed_over", progress.values.reduce(0) { $0 + $1.handedOver })
        json.member("unconfirmed", progress.values.reduce(0) { $0 + $1.unconfirmed })
        json.beginObject("outcomes")
        append(outcomes(progress), to: &json)
        json.endObject()
        json.member("outcomes_at", Campaign.countedAt(progress).map { TimeText.text(milliseconds: $0) })
        if isFull {
            for name in ["subtitle", "category", "level"] as [StaticString] {
                json.member(name, campaign.text(name))
            }
            json.member("expires_at", campaign.end.map { TimeText.text(milliseconds: $0) })
            json.member("per_minute", campaign.perMinute)
            append(campaign.timing, to: &json)
            if campaign.timing.quiet != nil, campaign.passesQuietHours { json.memberTrue("passes_quiet") }
            if let by = campaign.held?.by { json.member("paused_by", lineSafe: by) }
            json.member("paused_at", campaign.held?.at.map { TimeText.text(milliseconds: $0) })
            if let by = campaign.cancelled?.by { json.member("cancelled_by", lineSafe: by) }
            json.member("cancelled_at", campaign.cancelled?.at.map { TimeText.text(milliseconds: $0) })
            json.member("select", json: campaign.selectText)
            append(campaign.parts, progress, to: &json)
        }
        json.endObject()
        return json.bytes
    }

    /// What would be sent, to how many, and over which lanes.
    static func preview(_ posted: PostedNotification, _ forecast: CampaignForecast) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("content", json: [UInt8(ascii: "{")] + posted.message.content + [UInt8(ascii: "}")])
        json.member("devices", forecast.devices)
        forecast.reach?.append(to: &json)
        append(forecast.parts, [:], to: &json)
        json.endObject()
        return json.bytes
    }

    /// Who would be told when.
    static func append(_ parts: [CampaignPart], _ progress: [Int: PostedSummary], to json: inout JSONWriter) {
        json.beginArray("parts")
        for (number, part) in parts.enumerated() {
            json.beginObject()
            json.member("at", part.at.map { TimeText.text(milliseconds: $0) })
            if !part.zones.isEmpty { json.member("zones", part.zones) }
            json.member("other_than", part.otherThan)
            json.member("devices", part.devices)
            json.member("skipped", part.skipped)
            if let summary = progress[number] {
                json.member("state", summary.isHeld && !summary.hasEnded ? "held" : summary.state)
                json.member("handed_over", summary.handedOver)
                json.member("reason", summary.reason)
            }
            json.endObject()
        }
        json.endArray()
    }

    private static func outcomes(_ progress: [Int: PostedSummary]) -> [String: Int] {
        var sums: [String: Int] = [:]
        for outcome in progress.values.flatMap(\.outcomes) { sums[outcome.name, default: 0] += outcome.count }
        return sums
    }

    private static func append(_ outcomes: [String: Int], to json: inout JSONWriter) {
        for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) {
            json.name(name)
            json.element(count)
        }
    }

    private static func append(_ timing: CampaignTiming, to json: inout JSONWriter) {
        switch timing.start {
        case .now: break
        case .at(let time): json.member("at", TimeText.text(milliseconds: time))
        case .local(let time): json.member("local_at", time.description)
        }
        json.member("zone", timing.zone)
        json.member("passed", timing.passed.rawValue)
        json.member("quiet", timing.quiet?.description)
    }
}
