import WaybillAudience
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillSettings
import WaybillThreads

/// What commands about one campaign have in common.
enum CampaignStoreCommand {
    /// Runs a command's work with a campaign that is there.
    static func run(
        _ name: String,
        _ settings: ConfigurationOptions,
        _ work: (Campaign, CampaignStore, AudienceReader) throws -> Void
    ) throws {
        try StoreCommand.run(settings, for: .campaign) { client, database in
            let store = CampaignStore(client: client, database: database)
            guard let campaign = try store.campaign(name) else {
                throw CommandFailure(.noInput, "there is no campaign \(Cell.printable(name))")
            }
            try work(campaign, store, AudienceReader(client: client, database: database))
        }
    }

    /// Who would be told when, if it were started now.
    static func plan(_ campaign: Campaign, _ reader: AudienceReader) throws -> [CampaignPart] {
        let selection: AudienceSelection
        do throws(PostedRefusal) {
            selection = try campaign.selection()
        } catch {
            throw CommandFailure(.badInput, "\(error)")
        }
        let zones: [(name: String?, devices: Int)] =
            campaign.timing.isLocal ? try reader.zones(selection) : [(nil, try reader.count(selection))]
        return CampaignStore.plan(campaign, zones: zones, now: WallClock.milliseconds())
    }
}
