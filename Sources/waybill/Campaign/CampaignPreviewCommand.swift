import ArgumentParser
import WaybillMessages
import WaybillNotifications

/// `waybill campaign preview`.
struct CampaignPreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the content of a campaign, and count who would be told when, and over which lane.",
        discussion: """
            Examples:
              waybill campaign preview autumn

            Counts exactly, by the registry as it stands; nothing is sent. Exit status 68 if it would reach nobody.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput])
    )

    @OptionGroup var which: CampaignArgument

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, _, registry in
            // What a message has beside its devices, as the members of an object.
            Output.line("{\(String(decoding: try registry.posted(campaign).message.content, as: UTF8.self))}")
            let plan = try registry.plan(campaign)
            for line in CampaignText.lines(plan) { Output.line(line) }
            let devices = plan.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices }
            Output.line(Counted.text(devices, "device"))
            if let reach = try registry.reach(campaign) {
                for line in ReachText.lines(reach) { Output.line(line) }
            }
            guard devices > 0 else {
                throw CommandFailure(.nobody, "\(Cell.printable(campaign.name)) would reach nobody")
            }
        }
    }
}
