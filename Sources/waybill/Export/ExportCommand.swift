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
            then has the number of records, the bytes and the SHA-256. --resume goes on with the same filters, --since and --until too, and ends \
            with the same bytes: 30d counts from when the export began; where the file is whole already it says so and ends with 0. Without --until the export ends with what was known when it began. Order and filters are those of \
            waybill logs. In CSV a text that a spreadsheet would take for a formula has an apostrophe in front. The files \
            hold device tokens: nobody but their owner may read them.
            """ + exitStatuses
    )

    /// Of all exports.
    static let exitStatuses = ExitStatus.help(
        ExitStatus.ofServers + [.badInput],
        own: [.temporary: "interrupted or another export writes the same file"]
    )

    @OptionGroup(title: "Filters") var filters: LogFilters
    @OptionGroup var options: ExportOptions

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let store = try settings.loadStore(for: .logs)
        Interruption.install()
        try reportingFailures(of: "export") {
            // Nothing is written to the log: how long records are kept is the dispatcher's business.
            let log = try store.makeLogOptions(retention: RetentionPolicy(default: .keep))
            let pool = try store.pool(for: "export")
            let client = try pool.pop()
            defer { pool.push(client) }
            let reader = DeliveryLogReader(client: client, options: log, scope: .all)
            let query = filters.query(limit: nil)
            var run = try ExportRun(
                reader: reader,
                query: query,
                limits: ExportLimits(since: filters.since, until: filters.until),
                format: options.format,
                path: options.output,
                resumes: options.resume
            )
            let count = try options.carryOut(&run, of: "record", command: "export")
            // An empty file may come of a slip of the pen; so may one in which what was to be left out is still there.
            let names = KnownNames(client: client, database: log.database, scope: .all)
            let hint = count == 0 ? filters.hint ?? names.hint(query) : names.hint(leftOutBy: query)
            if let hint { Terminal.say("waybill export: \(Cell.printable(hint))") }
        }
    }
}
