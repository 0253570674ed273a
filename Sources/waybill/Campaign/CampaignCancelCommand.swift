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

            Also one that is paused. What waits ends at once, and what is expanded between two pages, within about a second; dispatchers \
            end what they have not sent. What APNs has stays sent.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, _ in
            let changed = try store.cancel(campaign.id, by: StoreCommand.author, now: WallClock.milliseconds())
            let handedOver = try CampaignStoreCommand.handedOver(campaign, store)
            let name = Cell.printable(campaign.name)
            switch changed {
            case .ended: Terminal.say("waybill campaign: nothing of \(name) was left to cancel; \(handedOver)")
            case .before: Terminal.say("waybill campaign: \(name) was cancelled before; \(handedOver)")
            case .made, .expired, .notStarted, .unknown:
                Terminal.say("waybill campaign: nothing more of \(name) will be sent; \(handedOver)")
            }
        }
    }
}
