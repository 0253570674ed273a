import ArgumentParser
import WaybillNotifications
import WaybillThreads

/// `waybill campaign pause`.
struct CampaignPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Hand over nothing more of a campaign until it is resumed.",
        discussion: """
            Examples:
              waybill campaign pause autumn

            What is expanded is held between two pages, within about a second, and so are parts that have not begun. What the \
            dispatchers have by then goes out. An end counts on: what is resumed after it is not sent.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, _ in
            let changed = try store.hold(campaign.id, true, by: StoreCommand.author, now: WallClock.milliseconds())
            try CampaignStoreCommand.refuse(changed, campaign)
            let handedOver = try CampaignStoreCommand.handedOver(campaign, store)
            Terminal.say("waybill campaign: \(Cell.printable(campaign.name)) is paused; \(handedOver)")
        }
    }
}

/// `waybill campaign resume`.
struct CampaignResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with a campaign that is paused.",
        discussion: """
            Examples:
              waybill campaign resume autumn

            Parts whose time has come meanwhile begin at once. After its --expires-at nothing goes on: what was left of it ends, \
            with exit status 65.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, _ in
            let changed = try store.hold(campaign.id, false, by: StoreCommand.author, now: WallClock.milliseconds())
            try CampaignStoreCommand.refuse(changed, campaign)
            let what = changed == .before ? "was not paused" : "goes on"
            Terminal.say("waybill campaign: \(Cell.printable(campaign.name)) \(what)")
        }
    }
}
