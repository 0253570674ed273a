import ArgumentParser

/// `waybill devices`: the registry of device tokens.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, register, import and export devices of the registry, and disable or enable them.",
        discussion: """
            Examples:
              waybill devices --disabled --limit 20
              waybill devices --user 4711 --json
              waybill devices count --app com.example.parcels --enabled --tag beta
              waybill devices show --token - < token.txt
              waybill devices import devices.ndjson
              waybill devices export --app com.example.parcels --output parcels.ndjson
              waybill devices disable --token - < token.txt
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput]),
        subcommands: [
            DevicesListCommand.self, DevicesCountCommand.self, DevicesShowCommand.self, DevicesRegisterCommand.self,
            DevicesImportCommand.self, DevicesExportCommand.self,
            DevicesEnableCommand.self, DevicesDisableCommand.self, DevicesUpgradeCommand.self,
        ],
        defaultSubcommand: DevicesListCommand.self
    )
}
