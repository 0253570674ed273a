import HTTPTypes
package import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillNotifications

/// What campaigns are held to before anybody counts on them.
package struct CampaignRules: Sendable {
    /// Whose they are where they do not say so.
    package let client: String
    /// Whether fan-out would take their audiences; `nil` where no lanes are known.
    package let examination: AudienceExamination?

    package init(client: String, examination: AudienceExamination?) {
        self.client = client
        self.examination = examination
    }

    /// - Throws: ``Problem`` 400 with the field and its limit.
    func examine(_ campaign: Campaign, now: Int64) throws(Problem) {
        do throws(PostedRefusal) {
            let posted = try campaign.posted(client: client)
            do throws(BodyRejection) {
                try examination?.examine(posted.message, now: now)
            } catch {
                throw PostedRefusal(error)
            }
        } catch {
            throw Problem(.badRequest, "\(error)")
        }
    }
}
