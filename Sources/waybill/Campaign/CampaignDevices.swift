import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillNotifications
import WaybillProviders
import WaybillSettings
import WaybillThreads

/// Which devices a campaign would reach, by the installation's rules and the registry as it stands.
struct CampaignDevices {
    let rules: PostedRules
    /// How long records of pushes are kept.
    let retention: RetentionPolicy
    let reader: AudienceReader

    /// What it would be as one notification.
    ///
    /// - Throws: `CommandFailure` with the field, where nothing of it may be sent.
    func posted(_ campaign: Campaign) throws -> PostedNotification {
        do throws(PostedRefusal) {
            return try rules.posted(campaign, now: WallClock.milliseconds())
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
    }

    /// How many devices somebody names of its app.
    func count(_ campaign: Campaign, _ kind: AudienceSelection.Kind) throws -> (devices: Int, app: String) {
        let message = try posted(campaign).message
        let selection = AudienceSelection(apps: message.selection.apps, kind: kind)
        return (try reader.count(selection, of: message.client), message.selection.apps.joined(separator: ", "))
    }

    /// Over which lanes they would be told.
    func reach(_ campaign: Campaign) throws -> AudienceReach? { try rules.reach(posted(campaign), reader) }

    /// Who would be told when, if it were started now.
    func plan(_ campaign: Campaign) throws -> [CampaignPart] {
        try PostedRules.plan(campaign, as: posted(campaign), reader, now: WallClock.milliseconds())
    }
}

extension PostedRules {
    /// Those of a configuration.
    init(_ sections: ConfigurationSections) {
        self.init(client: sections.schedule.client, examination: AudienceExamination(sections))
    }
}
