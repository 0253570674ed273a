import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// `waybill export`: records into a file, whole or not at all.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export records as NDJSON or CSV, so that it can go on after an interruption.",
        discussion: """
            Examples:
              waybill export --client acme --since 30d --output acme.ndjson
              waybill export --batch campaign-42 --format csv --output campaign-42.csv
              waybill export --client acme --since 30d --output acme.ndjson --resume

            The file grows as FILE.part, with FILE.state beside it, and gets its name when it is whole; FILE.manifest.json \
            then has the number of records, the bytes and the SHA-256. --resume goes on with the same filters and ends with \
            the same bytes. Without --until the export ends with what was known when it began. Order and filters are those of \
            waybill logs. In CSV a text that a spreadsheet would take for a formula has an apostrophe in front. The files \
            hold device tokens: nobody but their owner may read them. Exit status 75 when interrupted, or while another export \
            writes the same file.
            """
    )

    @OptionGroup(title: "Filters") var filters: LogFilters

    @Option(help: "ndjson, one record to a line with the field names of the log, or csv.")
    var format: ExportFormat = .ndjson

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    @Flag(help: "Go on with an export that was interrupted, if there is one.")
    var resume = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard !output.isEmpty, output != "-" else {
            throw ValidationError("'--output' names a file; waybill logs --json writes to standard output.")
        }
    }

    func run() throws {
        let store = try settings.loadStore(for: .logs)
        Interruption.install()
        try reportingFailures(of: "export") {
            // Nothing is written to the log: how long records are kept is the dispatcher's business.
            let options = try store.makeLogOptions(retention: RetentionPolicy(default: .keep))
            let pool = try store.pool(for: "export")
            let client = try pool.pop()
            defer { pool.push(client) }
            let reader = DeliveryLogReader(client: client, options: options, scope: .all)
            var run = try ExportRun(
                reader: reader,
                query: filters.query(limit: nil),
                format: format,
                path: output,
                resumes: resume
            )
            var progress = CountProgress("record")
            let manifest = try run.run { records in
                progress.update(records)
                return !Interruption.isAsked
            }
            progress.finish()
            guard let manifest else {
                throw CommandFailure(.temporary, "interrupted; the same with --resume goes on")
            }
            Terminal.say(
                "waybill export: \(Counted.text(manifest.records, "record")) in \(output), SHA-256 \(manifest.sha256)"
            )
        }
    }
}
