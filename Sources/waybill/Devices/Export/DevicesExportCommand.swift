import ArgumentParser
import WaybillDeviceRegistry
import WaybillSettings

/// `waybill devices export`.
struct DevicesExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export devices as NDJSON or CSV, so that it can go on after an interruption.",
        discussion: """
            Examples:
              waybill devices export --app com.example.parcels --output parcels.ndjson
              waybill devices export --disabled --format csv --output disabled.csv
              waybill devices export --app com.example.parcels --output parcels.ndjson --resume

            As waybill export: the file grows as FILE.part, with FILE.state beside it, and gets its name when it is whole; \
            FILE.manifest.json then has the number of devices, the bytes and the SHA-256. The filters are those of waybill \
            devices list, the fields those of the registry; CSV has all but the history, tags with semicolons between them, and \
            an apostrophe in front of a text that a spreadsheet would take for a formula. Each device is as it was when its page \
            was read. The files hold device tokens: nobody but their owner may read them.
            """ + ExportCommand.exitStatuses
    )

    @OptionGroup(title: "Filters") var filters: DeviceFilters
    @OptionGroup var options: ExportOptions
    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        Interruption.install()
        try StoreCommand.run(settings, for: .devices) { client, database in
            let reader = DeviceReader(client: client, database: database)
            if try reader.needsUpgrade() {
                throw CommandFailure(
                    .configuration,
                    "there are devices in the layout of an earlier release, which no search finds; waybill devices upgrade converts them"
                )
            }
            var run = try ExportRun(
                reader: reader,
                query: try filters.query(),
                limits: ExportLimits(since: filters.seenSince, before: filters.seenBefore),
                format: options.format,
                path: options.output,
                resumes: options.resume
            )
            try options.carryOut(&run, of: "device", command: "devices export")
        }
    }
}
