import ArgumentParser

/// `waybill devices`: the registry of device tokens.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the registry, and convert those of an earlier release.",
        discussion: """
            Examples:
              waybill devices --disabled --limit 20
              waybill devices --user 4711 --json
              waybill devices upgrade
            """,
        subcommands: [DevicesListCommand.self, DevicesUpgradeCommand.self],
        defaultSubcommand: DevicesListCommand.self
    )
}
