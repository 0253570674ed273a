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

    /// How many devices somebody names of its app, and over which lanes they would be told.
    func reach(
        _ campaign: Campaign,
        _ kind: AudienceSelection.Kind
    ) throws -> (devices: Int, reach: AudienceReach?, app: String) {
        let posted = try posted(campaign)
        let (devices, reach) = try rules.reach(posted, kind, reader)
        return (devices, reach, posted.message.selection.apps.joined(separator: ", "))
    }

    /// Who would be told when and over which lanes, if it were started now.
    func forecast(_ campaign: Campaign) throws -> CampaignForecast {
        try rules.forecast(campaign, as: posted(campaign), reader, now: WallClock.milliseconds())
    }
}

extension PostedRules {
    /// Those of a configuration.
    init(_ sections: ConfigurationSections) {
        self.init(client: sections.schedule.client, examination: AudienceExamination(sections))
    }
}
