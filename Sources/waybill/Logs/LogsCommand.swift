import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// `waybill logs`: what became of notifications.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show what became of notifications.",
        discussion: """
            Examples:
              waybill logs --token 00fc13adff785122… --story   one device, in order
              waybill logs --batch campaign-42 --count         how a batch ended
              waybill logs --outcome token_invalid --since 2h  tokens that died
              waybill logs --client acme --json --limit 100000 > acme.ndjson

            Records come newest first; a story is told oldest first. Times are UTC. Every filter given must match, and a \
            token is given whole.
            """
    )

    @OptionGroup(title: "Filters") var filters: LogFilters

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most this many records.", valueName: "n")
    )
    var limit = 100

    @Flag(help: "Count the records by outcome instead of showing them.")
    var count = false

    @Flag(help: "Write NDJSON, one record to a line, with the field names of the log.")
    var json = false

    @Flag(help: "Tell each record's story; on a terminal that is the default with --token and --apns-id.")
    var story = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard limit > 0 else {
            throw ValidationError("The value '\(limit)' is invalid for '--limit <n>': use 1 or more.")
        }
        guard !story || !(json || count) else {
            throw ValidationError("'--story' goes neither with '--json' nor with '--count'.")
        }
    }

    func run() throws {
        let store = try settings.loadStore(for: .logs)
        try reportingFailures(of: "logs") { try search(store) }
    }

    private func search(_ store: StoreSettings) throws {
        // Nothing is written here: how long records are kept is the dispatcher's business.
        let options = try store.makeLogOptions(retention: RetentionPolicy(default: .keep))
        let pool = try store.pool(for: "logs")
        let client = try pool.pop()
        defer { pool.push(client) }
        do throws(MongoError) {
            try show(DeliveryLogReader(client: client, options: options, scope: .all))
        } catch {
            throw Self.failure(error)
        }
    }

    /// A search that takes too long can be helped; everything else is said as it is.
    private static func failure(_ error: MongoError) -> any Error {
        guard error.code == .timeLimitExceeded else { return error }
        let hint = "narrow the search with --token, --batch, --apns-id or --outcome"
        return CommandFailure(.temporary, "the store gave up after its time limit; \(hint)")
    }

    private func show(_ reader: DeliveryLogReader) throws(MongoError) {
        let isFound =
            if count {
                try showCounts(reader)
            } else if json {
                try showJSON(reader)
            } else {
                try showText(reader)
            }
        if !isFound { Terminal.say("waybill logs: nothing found\(filters.hint.map { "; \($0)" } ?? "")") }
    }

    private func showCounts(_ reader: DeliveryLogReader) throws(MongoError) -> Bool {
        let counts = try reader.counts(filters.query(limit: nil))
        for line in json
            ? OutcomeCountText.json(counts) : OutcomeCountText.table(counts, palette: Screen.output.palette)
        {
            print(line)
        }
        return !counts.isEmpty
    }

    private func showJSON(_ reader: DeliveryLogReader) throws(MongoError) -> Bool {
        let cursor = reader.query(filters.query(limit: limit))
        var isFound = false
        while let delivery = try cursor.next() {
            print(DeliveryJSON.line(delivery))
            isFound = true
        }
        return isFound
    }

    private func showText(_ reader: DeliveryLogReader) throws(MongoError) -> Bool {
        let deliveries = try reader.query(filters.query(limit: limit)).all()
        guard !deliveries.isEmpty else { return false }
        let screen = Screen.output
        let lines =
            if story || screen.isTerminal && filters.asksForOne {
                DeliveryStory(
                    width: screen.pageWidth,
                    clipsMessages: screen.isTerminal,
                    palette: screen.palette
                ).lines(deliveries.reversed())
            } else {
                DeliveryTable(width: screen.width, palette: screen.palette).lines(deliveries)
            }
        for line in lines { print(line) }
        if deliveries.count == limit { Terminal.say("waybill logs: the \(limit) newest; --limit shows more") }
        return true
    }
}
