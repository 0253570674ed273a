import ArgumentParser
import WaybillAudience
import WaybillEncoding
import WaybillSettings

/// `waybill audience count`.
struct AudienceCountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count the devices of an audience, exactly.",
        discussion: """
            Examples:
              waybill audience count --app com.example.parcels
              waybill audience count --app com.example.parcels --locale de --version-from 2.10 --json
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @OptionGroup(title: "Devices") var filters: AudienceFilters

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws { _ = try filters.selection() }

    func run() throws {
        let selection = try filters.selection()
        try StoreCommand.run(settings, for: .audience) { client, database in
            let number = try AudienceReader(client: client, database: database).count(selection)
            var object = JSONObject()
            object.add("count", number)
            print(json ? object.text : String(number))
        }
    }
}
