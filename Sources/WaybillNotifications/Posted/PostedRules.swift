package import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
package import WaybillMessages
package import WaybillMongo

/// What notifications in the store, and campaigns, are held to before anything of them is sent: by whoever prepares them, and by
/// `waybill schedule`, which asks once more.
package struct PostedRules: Sendable {
    /// Whose they are where they do not say so.
    package let client: String
    /// Whether fan-out would take their audiences; `nil` where no lanes are known.
    package let examination: AudienceExamination?

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

    /// Whether a campaign may be prepared: what ends before it begins reaches nobody, nor does what everybody's time has passed of.
    ///
    /// - Parameters:
    ///   - campaign: that nobody has stored yet.
    ///   - now: milliseconds since 1970.
    /// - Throws: the field and its limit.
    package func examineDraft(_ campaign: Campaign, now: Int64) throws(PostedRefusal) {
        _ = try posted(campaign, now: now)
        if let end = campaign.end, end <= now { throw PostedRefusal("expires_at", "has passed already") }
        guard campaign.timing.hasPassed(now: now) else { return }
        throw PostedRefusal(
            campaign.timing.isLocalTime ? "local_at" : "at",
            "has passed already, and devices whose time has passed are left out unless passed says now (--passed-now)"
        )
    }

    /// Looks for an app of a draft that no lane and no device has.
    ///
    /// - Parameters:
    ///   - campaign: that nobody has stored yet.
    ///   - reader: of the registry.
    /// - Returns: the refusal, with the nearest name; `nil` where each app is known, and where no lanes are.
    /// - Throws: what the store says.
    package func unknownApp(of campaign: Campaign, _ reader: AudienceReader) throws(MongoError) -> PostedRefusal? {
        let message: AudienceMessage
        do throws(PostedRefusal) {
            message = try campaign.posted(client: client).message
        } catch {
            return error
        }
        let apps = message.selection.apps
        guard let rejection = try examination?.unknownApp(among: apps, of: message.client, reader) else { return nil }
        return PostedRefusal(rejection)
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

    /// How many devices of a campaign's apps somebody names, and over which lanes they would be told.
    ///
    /// - Parameters:
    ///   - posted: what the campaign would be as one notification.
    ///   - kind: which devices.
    ///   - reader: of the registry, which counts exactly.
    /// - Returns: without the lanes where none are known.
    /// - Throws: what the store says.
    package func reach(
        _ posted: PostedNotification,
        _ kind: AudienceSelection.Kind,
        _ reader: AudienceReader
    ) throws(MongoError) -> (devices: Int, reach: AudienceReach?) {
        let selection = AudienceSelection(apps: posted.message.selection.apps, kind: kind)
        let shares = try reader.shares(selection, of: posted.message.client)
        return (shares.reduce(0) { $0 + $1.devices }, reach(shares, of: posted))
    }

    private func reach(_ shares: [DeviceShare], of posted: PostedNotification) -> AudienceReach? {
        guard let lanes = examination?.lanes, !lanes.isEmpty else { return nil }
        return AudienceReach(shares, of: posted.message, over: lanes)
    }

    /// Who would be told of a campaign when, if it were started now; of one that was started, who is.
    ///
    /// The registry is read once.
    ///
    /// - Parameters:
    ///   - campaign: which.
    ///   - posted: what it would be as one notification.
    ///   - reader: of the registry, which counts exactly.
    ///   - now: milliseconds since 1970.
    /// - Returns: its parts, and over which lanes they go.
    /// - Throws: what the store says.
    package func forecast(
        _ campaign: Campaign,
        as posted: PostedNotification,
        _ reader: AudienceReader,
        now: Int64
    ) throws(MongoError) -> CampaignForecast {
        let timing = campaign.effectiveTiming
        let shares = try reader.shares(posted.message.selection, of: posted.message.client, byZone: timing.isLocal)
        let parts =
            campaign.state == .draft
            ? CampaignPlan.parts(
                timing,
                zones: CampaignForecast.zones(shares),
                named: posted.message.selection.kind.zones,
                end: campaign.end,
                now: now
            )
            : campaign.parts
        return CampaignForecast(
            parts: parts,
            reach: reach(CampaignForecast.told(shares, by: parts), of: posted)
        )
    }
}
