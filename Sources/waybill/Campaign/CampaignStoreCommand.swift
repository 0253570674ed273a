import WaybillAudience
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillSettings

/// What commands about one campaign have in common.
enum CampaignStoreCommand {
    /// Runs a command's work with a campaign that is there, and with what the registry says of its devices.
    static func run(
        _ which: CampaignArgument,
        _ settings: ConfigurationOptions,
        _ work: (Campaign, CampaignStore, CampaignDevices) throws -> Void
    ) throws {
        let sections = try settings.load(for: .campaign)
        try StoreCommand.run(try ConfigurationOptions.present(sections.store), for: .campaign) { client, database in
            let rules = PostedRules(sections)
            let store = CampaignStore(
                client: client,
                database: database,
                scope: CampaignStore.Scope(clients: nil, unnamed: rules.client)
            )
            let reader = AudienceReader(client: client, database: database)
            let campaign = try one(which, store)
            let retention = try ConfigurationOptions.present(sections.retention)
            try work(campaign, store, CampaignDevices(rules: rules, retention: retention, reader: reader))
        }
    }

    private static func one(_ which: CampaignArgument, _ store: CampaignStore) throws -> Campaign {
        let name = Cell.printable(which.name)
        switch try store.find(which.name, of: which.client) {
        case .one(let campaign): return campaign
        case .none: throw CommandFailure(.noInput, "there is no campaign \(name)")
        case .unreadable(let reason):
            throw CommandFailure(.badInput, "\(name) is a campaign that nobody follows: \(Cell.printable(reason))")
        case .several(let clients):
            let names = clients.prefix(5).map(Cell.printable).joined(separator: ", ")
            throw CommandFailure(
                .badInput,
                "several clients have a campaign \(name); say whose with --client: \(names)"
            )
        }
    }

    /// How much of a campaign the dispatchers have.
    static func handedOver(_ campaign: Campaign, _ store: CampaignStore) throws -> String {
        let progress = try store.progress(campaign).values
        let devices = progress.reduce(0) { $0 + $1.devices }
        return
            "\(progress.reduce(0) { $0 + $1.handedOver }) of \(Counted.text(devices, "device")) found were handed over by now"
            + CampaignText.unconfirmed(progress)
    }

    /// Ends a command for which it was too early or too late.
    static func refuse(_ changed: CampaignStore.Changed, _ campaign: Campaign) throws {
        let name = Cell.printable(campaign.name)
        switch changed {
        case .made, .before: return
        case .ended: throw CommandFailure(.badInput, "\(name) has ended; nothing of it is left")
        case .expired:
            let end = campaign.end.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
            throw CommandFailure(.badInput, "\(name) has expired\(end); nothing of it is left")
        case .notStarted: throw CommandFailure(.badInput, "\(name) is a draft; nothing of it is sent")
        case .unknown: throw CommandFailure(.noInput, "there is no campaign \(name)")
        }
    }
}
