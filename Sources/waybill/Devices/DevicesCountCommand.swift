import ArgumentParser
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings

/// `waybill devices count`.
struct DevicesCountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count devices, exactly.",
        discussion: """
            Examples:
              waybill devices count --app com.example.parcels --enabled
              waybill devices count --tag beta --time-zone Europe/Vienna --seen-since 30d --json

            An app's devices, a user's and a device's are found by an index; any other search reads the whole registry, and may \
            take too long (exit status 75).
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @OptionGroup(title: "Filters") var filters: DeviceFilters

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .devices) { client, database in
            let query = try filters.query()
            let reader = DeviceReader(client: client, database: database)
            let number = try CountProgress.shown("device") { counted in
                try reader.count(query, counted: counted)
            }
            var object = JSONObject()
            object.add("count", number)
            if json { Output.json(object) } else { Output.line("\(number)") }
        }
    }
}
