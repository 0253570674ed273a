import ArgumentParser

/// `waybill lanes`: what lanes do, and what operators want of them.
struct LanesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanes",
        abstract: "Show lanes; pause, drain and open them.",
        discussion: """
            Examples:
              waybill lanes
              waybill lanes pause parcels --note "new certificate"
              waybill lanes resume parcels

            An order is kept in the store: every dispatcher follows it within seconds, also one that starts later, until \
            resume. The command waits up to five seconds and says who follows; the order holds either way. The messages of \
            a lane that does not send wait in the delay queues, for a quarter of an hour at a time at \
            the most, and lose none of their attempts; their own limits of time go on.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput]),
        subcommands: [
            LanesListCommand.self, LanesPauseCommand.self, LanesDrainCommand.self, LanesResumeCommand.self,
        ],
        defaultSubcommand: LanesListCommand.self
    )
}
