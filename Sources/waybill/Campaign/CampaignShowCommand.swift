import ArgumentParser
import WaybillCore
import WaybillEncoding
import WaybillNotifications

/// `waybill campaign show`.
struct CampaignShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show how far a campaign is, and what became of its pushes.",
        discussion: """
            Examples:
              waybill campaign show autumn
              waybill campaign show autumn --json

            Exit status 68 if it has ended and reached nobody.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, registry in
            let client = campaign.client ?? registry.rules.client
            let progress = try store.progress(campaign)
            let reachedNobody =
                campaign.stateName(progress) == "done" && progress.values.allSatisfy { $0.handedOver == 0 }
            guard !json else {
                var object = CampaignText.object(campaign, progress)
                object.add("records_kept", "\(registry.retention.period(for: client))")
                Output.json(object)
                if reachedNobody { throw ExitStatus.nobody.exit }
                return
            }
            Output.line("\(Cell.printable(campaign.name))  \(campaign.stateName(progress))")
            Output.line("client          \(Cell.printable(ClientWords.keeping(client, registry.retention)))")
            for line in CampaignText.orders(campaign, progress) { Output.line(line) }
            for line in CampaignText.lines(campaign.parts, progress) { Output.line(line) }
            Output.line("devices found   \(progress.values.reduce(0) { $0 + $1.devices })")
            let handedOver = progress.values.reduce(0) { $0 + $1.handedOver }
            Output.line("handed over     \(handedOver)\(CampaignText.unconfirmed(progress.values))")
            for line in ReachText.lines(Campaign.leftOut(progress)) { Output.line(line) }
            for (name, count) in CampaignText.outcomes(progress) {
                Output.line(Cell.padded(Cell.printable(name), to: 15) + " \(count)")
            }
            if let time = Campaign.countedAt(progress) {
                Output.line("(outcomes as of \(TimeText.text(milliseconds: time)))")
            }
            for (number, summary) in progress.sorted(by: { $0.key < $1.key }) {
                guard let reason = summary.reason else { continue }
                Output.line("\(Cell.printable(campaign.partID(number))): \(Cell.printable(reason))")
            }
            guard !reachedNobody else {
                throw CommandFailure(.nobody, "\(Cell.printable(campaign.name)) reached nobody")
            }
        }
    }
}
