import ArgumentParser
import WaybillAudience
import WaybillMessages
import WaybillNotifications

/// `waybill campaign test`.
struct CampaignTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a campaign's content to some devices at once.",
        discussion: """
            Examples:
              waybill campaign test autumn --user anna
              waybill campaign test autumn --device 4F1D-77

            Exit status 68 if no device is found, or none of them has a lane.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput])
    )

    @OptionGroup var which: CampaignArgument

    @Option(help: ArgumentHelp("To the devices of this user; repeatable.", valueName: "user"))
    var user: [String] = []

    @Option(help: ArgumentHelp("To the device with this id of the app's own; repeatable.", valueName: "id"))
    var device: [String] = []

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard user.isEmpty != device.isEmpty else { throw ValidationError("Give '--user' or '--device'.") }
    }

    func run() throws {
        try CampaignStoreCommand.run(which, settings) { campaign, store, registry in
            let (found, reach, app) = try registry.reach(campaign, user.isEmpty ? .devices(device) : .users(user))
            guard found > 0 else {
                throw CommandFailure(.nobody, "no device of \(Cell.printable(app)) that may be pushed to is named so")
            }
            if let reason = reach?.whyNobody {
                throw CommandFailure(.nobody, "it would reach nobody: \(reason); nothing was sent")
            }
            let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
            let id = try store.test(campaign, suffix: suffix, users: user, devices: device)
            Terminal.say(
                "waybill campaign: \(Counted.text(found, "device")); look at it with: waybill explain \(Cell.printable(id))"
            )
            for line in ReachText.lines(reach?.leftOut ?? AudienceLeftOut()) {
                Terminal.say("waybill campaign: \(line)")
            }
        }
    }
}
