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

            Counts exactly, by the registry as it stands; nothing is sent. What is said of lanes is of the devices that are \
            told. Exit status 68 if it would reach nobody: no device is told, or none of them has a lane.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, _, registry in
            // What a message has beside its devices, as the members of an object.
            Output.line("{\(String(decoding: try registry.posted(campaign).message.content, as: UTF8.self))}")
            let forecast = try registry.forecast(campaign)
            for line in CampaignText.lines(forecast.parts) { Output.line(line) }
            Output.line(Counted.text(forecast.devices, "device"))
            if let reach = forecast.reach {
                for line in ReachText.lines(reach) { Output.line(line) }
            }
            if let reason = forecast.whyNobody {
                throw CommandFailure(.nobody, "\(Cell.printable(campaign.name)) would reach nobody: \(reason)")
            }
        }
    }
}
