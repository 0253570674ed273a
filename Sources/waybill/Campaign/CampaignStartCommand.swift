import ArgumentParser
import WaybillAudience
import WaybillNotifications
import WaybillThreads

/// `waybill campaign start`.
struct CampaignStartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a campaign.",
        discussion: """
            Examples:
              waybill campaign start autumn
              waybill campaign start autumn --at-most 20000     not if it is more devices than expected

            Exit status 68 if it would reach nobody, as where no device has a lane: nothing is started then. Safe to \
            repeat: a campaign that was started stays as it is, and one whose start was interrupted is gone on with.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @Option(help: ArgumentHelp("Refuse if it is more devices.", valueName: "devices"))
    var atMost: Int?

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, registry in
            let forecast = try registry.forecast(campaign)
            let devices = forecast.devices
            if campaign.state == .draft, let atMost, devices > atMost {
                throw CommandFailure(.badInput, "it would be \(Counted.text(devices, "device")); nothing was started")
            }
            if campaign.state == .draft, let reason = forecast.whyNobody {
                throw CommandFailure(
                    .nobody,
                    "\(Cell.printable(campaign.name)) would reach nobody: \(reason); nothing was started"
                )
            }
            switch try store.start(campaign.id, by: forecast.parts, now: WallClock.milliseconds()) {
            case .campaign(let now) where now.state == .started: break
            case .campaign:
                throw CommandFailure(.badInput, "\(Cell.printable(campaign.name)) was cancelled; nothing is sent")
            case .namesTaken(let names):
                throw CommandFailure(
                    .badInput,
                    "notifications of others have the names of its parts: \(names.prefix(3).map(Cell.printable).joined(separator: ", "))"
                )
            case .unknown:
                throw CommandFailure(.noInput, "there is no campaign \(Cell.printable(campaign.name)) any more")
            }
            Terminal.say(
                "waybill campaign: \(Cell.printable(campaign.name)) is started: \(Counted.text(devices, "device"))"
            )
            let leftOut = ReachText.lines(forecast.reach?.leftOut ?? AudienceLeftOut())
            for line in CampaignText.skipped(forecast.parts) + leftOut {
                Terminal.say("waybill campaign: \(line)")
            }
        }
    }
}
