import ArgumentParser
import WaybillNotifications
import WaybillThreads

/// `waybill campaign cancel`.
struct CampaignCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Send nothing more of a campaign.",
        discussion: """
            Examples:
              waybill campaign cancel autumn

            waybill schedule ends what waits and what is expanded, between two pages; what APNs has stays sent.
            """
    )

    @Argument(help: ArgumentHelp("The campaign's name.", valueName: "name"))
    var name: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(name, settings) { campaign, store, _ in
            _ = try store.cancel(name, now: WallClock.milliseconds())
            let handedOver = try store.progress(campaign).values.reduce(0) { $0 + $1.handedOver }
            Terminal.say(
                "waybill campaign: nothing more of \(Cell.printable(name)) will be sent; \(handedOver) were handed over by now"
            )
        }
    }
}
