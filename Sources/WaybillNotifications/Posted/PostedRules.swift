package import WaybillAudience
import WaybillCore
import WaybillMessages
package import WaybillMongo

/// What notifications in the store, and campaigns, are held to before anything of them is sent: by whoever prepares them, and by
/// `waybill schedule`, which asks once more.
package struct PostedRules: Sendable {
    /// Whose they are where they do not say so.
    package let client: String
    /// Whether fan-out would take their audiences; `nil` where no lanes are known.
    private let examination: AudienceExamination?

    package init(client: String, examination: AudienceExamination?) {
        self.client = client
        self.examination = examination
    }

    /// What a document becomes.
    ///
    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - voice: of the service that it names.
    ///   - now: milliseconds since 1970.
    /// - Returns: with the body of its message.
    /// - Throws: the field and its limit.
    package func posted(
        _ document: BSONDocument,
        voice: ServiceVoice?,
        now: Int64
    ) throws(PostedRefusal) -> PostedNotification {
        let posted = try PostedNotification(document, client: client, voice: voice)
        try examine(posted, now: now)
        return posted
    }

    /// Whether a campaign may be prepared: what ends before it begins reaches nobody.
    ///
    /// - Parameters:
    ///   - campaign: that nobody has stored yet.
    ///   - now: milliseconds since 1970.
    /// - Throws: the field and its limit.
    package func examineDraft(_ campaign: Campaign, now: Int64) throws(PostedRefusal) {
        _ = try posted(campaign, now: now)
        if let end = campaign.end, end <= now { throw PostedRefusal("expires_at", "has passed already") }
    }

    /// What a campaign would be as one notification for all of its devices.
    ///
    /// - Throws: the field and its limit, as long as nothing of it was sent.
    package func posted(_ campaign: Campaign, now: Int64) throws(PostedRefusal) -> PostedNotification {
        let posted = try campaign.posted(client: client)
        if campaign.state == .draft { try examine(posted, now: now) }
        return posted
    }

    private func examine(_ posted: PostedNotification, now: Int64) throws(PostedRefusal) {
        do throws(BodyRejection) {
            try examination?.examine(posted.message, now: now)
        } catch {
            throw PostedRefusal(error)
        }
    }

    /// How many devices would be sent to over which lane.
    ///
    /// - Parameters:
    ///   - posted: as one notification for all of them.
    ///   - reader: of the registry, which counts exactly.
    /// - Returns: `nil` where no lanes are known.
    /// - Throws: what the store says.
    package func reach(_ posted: PostedNotification, _ reader: AudienceReader) throws(MongoError) -> AudienceReach? {
        guard let lanes = examination?.lanes, !lanes.isEmpty else { return nil }
        let message = posted.message
        let shares = try reader.shares(message.selection, of: message.client)
        return AudienceReach(shares, of: message, over: lanes)
    }

    /// Who would be told of a campaign when, if it were started now; of one that was started, who is.
    ///
    /// - Parameters:
    ///   - campaign: which.
    ///   - posted: what it would be as one notification.
    ///   - reader: of the registry, which counts exactly.
    ///   - now: milliseconds since 1970.
    /// - Returns: parts in the order of their times.
    /// - Throws: what the store says.
    package static func plan(
        _ campaign: Campaign,
        as posted: PostedNotification,
        _ reader: AudienceReader,
        now: Int64
    ) throws(MongoError) -> [CampaignPart] {
        guard campaign.state == .draft else { return campaign.parts }
        let (selection, client) = (posted.message.selection, posted.message.client)
        let timing = campaign.effectiveTiming
        let zones: [(name: String?, devices: Int)] =
            timing.isLocal
            ? try reader.zones(selection, of: client) : [(nil, try reader.count(selection, of: client))]
        return CampaignPlan.parts(timing, zones: zones, end: campaign.end, now: now)
    }
}
