import ArgumentParser

/// `waybill prune`: keeps the device registry free of dead tokens, and stops where there are far too many.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Disable dead device tokens in the registry; decide about what was held.",
        discussion: """
            Examples:
              waybill prune --config waybill.yaml   run the worker
              waybill prune status                  what is held, and why
              waybill prune release parcels         they are dead: disable them
              waybill prune discard parcels         they are not: forget what was said

            Without a subcommand it is the worker: waybill prune run --help tells what it does and takes.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput]),
        subcommands: [
            PruneRunCommand.self, PruneStatusCommand.self, PruneReleaseCommand.self, PruneDiscardCommand.self,
        ],
        defaultSubcommand: PruneRunCommand.self
    )
}
