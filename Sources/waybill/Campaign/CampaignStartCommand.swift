import ArgumentParser
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

            Safe to repeat: a campaign that was started stays as it is, and one whose start was interrupted is gone on with.
            """
    )

    @Argument(help: ArgumentHelp("The campaign's name.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Refuse if it is more devices.", valueName: "devices"))
    var atMost: Int?

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(name, settings) { campaign, store, reader in
            var plan = campaign.parts
            if campaign.state == .draft { plan = try CampaignStoreCommand.plan(campaign, reader) }
            let devices = plan.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices }
            if campaign.state == .draft, let atMost, devices > atMost {
                throw CommandFailure(.badInput, "it would be \(Counted.text(devices, "device")); nothing was started")
            }
            let now = try store.start(name, by: plan, now: WallClock.milliseconds())
            guard now?.state == .started else {
                throw CommandFailure(.badInput, "\(Cell.printable(name)) was cancelled; nothing is sent")
            }
            Terminal.say("waybill campaign: \(Cell.printable(name)) is started: \(Counted.text(devices, "device"))")
        }
    }
}
