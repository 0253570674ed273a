import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillMongo
import WaybillOperations
import WaybillReceipts
import WaybillSettings

/// `waybill logs`: what became of notifications.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show what became of notifications.",
        discussion: """
            Examples:
              waybill logs --token - --story < token.txt       one device, in order
              waybill logs --batch campaign-42 --count         how a batch ended
              waybill logs --outcome token_invalid --since 2h  tokens that died
              waybill logs --outcome '!accepted' --lane parcels  what went wrong on a lane
              waybill logs --outcome '!accepted' --reason '!Unregistered'  what else fails
              waybill logs --batch campaign-42 --ids           each with its apns-id
              waybill logs --client acme --json --limit 100000 > acme.ndjson
              waybill logs --follow --outcome '!accepted'      failures as they happen

            Records come newest first: those of a device, and failures, by the time of their outcome, all others by the \
            time of their message. A story is told oldest first. Times are UTC. Every filter given must match, and a token \
            is given whole: by standard input (-), for other users of the machine see what is on a command line. Client, \
            outcome, reason, lane, topic and push type may be given several times: any of the values matches, and none of those with ! in front (in quotes, for shells read ! themselves); '\\!x' is a value that begins \
            with it. Where more is left, the command says how to go on.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @OptionGroup(title: "Filters") var filters: LogFilters

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most this many records: 100, or with --follow no limit.", valueName: "n")
    )
    var limit: Int?

    @Option(
        help: ArgumentHelp("Go on where the same search ended before.", valueName: "cursor"),
        transform: LogFilters.word
    )
    var cursor: String?

    @Flag(help: "Show records as they are written, until Ctrl-C, or as many as --limit says.")
    var follow = false

    @Flag(help: "Count the records by outcome instead of showing them.")
    var count = false

    @Flag(
        help:
            "Show each record's apns-id, for waybill explain, in place of token, batch and message; with 160 columns all are shown."
    )
    var ids = false

    @Flag(help: "Write NDJSON, one record to a line, with the field names of the log.")
    var json = false

    @Flag(help: "Tell each record's story; on a terminal that is the default with --token and --apns-id.")
    var story = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("The value '\(limit)' is invalid for '--limit <n>': use 1 or more.")
        }
        guard !story || !(json || count) else {
            throw ValidationError("'--story' goes neither with '--json' nor with '--count'.")
        }
        guard !ids || !(json || count || story || follow) else {
            throw ValidationError("'--ids' is about the table: it goes with filters, '--limit' and '--cursor'.")
        }
        guard !follow || !(count || story || filters.since != nil || filters.until != nil) else {
            throw ValidationError("'--follow' goes with filters other than '--since' and '--until', and with '--json'.")
        }
        guard cursor == nil || !count else { throw ValidationError("'--cursor' does not go with '--count'.") }
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
        if follow { return try follow(client, options) }
        let reader = DeliveryLogReader(client: client, options: options, scope: .all)
        let names = KnownNames(client: client, database: options.database, scope: .all)
        if count { return try showCounts(reader, names) }
        let search = try DeliverySearch(
            reader: reader,
            query: filters.query(limit: limit ?? Self.usualLimit),
            cursor: cursor
        )
        try json
            ? showJSON(search, names)
            : showText(search, names, client, options)
    }

    /// As much as a person looks at.
    private static let usualLimit = 100

    private func follow(_ client: MongoClient, _ options: DeliveryLogOptions) throws {
        let tail = DeliveryTail(client: client, options: options, scope: .all, query: filters.query(limit: nil))
        if let cursor, !tail.resume(from: cursor) {
            throw CommandFailure(.badInput, "the cursor is of another search, or not of --follow")
        }
        Interruption.install()
        try LogFollower(tail: tail, limit: limit, json: json, screen: Screen.output).run()
    }

    private func showCounts(_ reader: DeliveryLogReader, _ names: KnownNames) throws {
        do throws(MongoError) {
            let counts = try reader.counts(filters.query(limit: nil))
            if json {
                for line in OutcomeCountText.json(counts) { Output.json(line) }
            } else {
                for line in OutcomeCountText.table(counts, palette: Screen.output.palette) { Output.line(line) }
            }
            if counts.isEmpty { sayNothingFound(names) } else { sayWhatIsNotLeftOut(names) }
        } catch {
            // A count that takes too long can be helped; everything else is said as it is.
            guard error.code == .timeLimitExceeded else { throw error }
            let hint = "narrow it with --token, --batch, --apns-id or --outcome"
            throw CommandFailure(.temporary, "the store gave up after its time limit; \(hint)")
        }
    }

    private func showJSON(_ search: DeliverySearch, _ names: KnownNames) throws {
        var search = search
        var count = 0
        while let records = try search.next() {
            for delivery in records { Output.json(DeliveryJSON.line(delivery)) }
            // What nobody takes is not looked for either.
            try Output.flush()
            count += records.count
        }
        try finish(search, count: count, names)
    }

    private func showText(
        _ search: DeliverySearch,
        _ names: KnownNames,
        _ client: MongoClient,
        _ options: DeliveryLogOptions
    ) throws {
        var search = search
        var deliveries: [LoggedDelivery] = []
        while let records = try search.next() { deliveries += records }
        let screen = Screen.output
        let lines =
            if deliveries.isEmpty {
                [String]()
            } else if story || screen.isTerminal && filters.asksForOne && !ids {
                DeliveryStory(
                    width: screen.pageWidth,
                    clipsMessages: screen.isTerminal,
                    palette: screen.palette,
                    receipts: receipts(of: deliveries, ReceiptReader(client: client, database: options.database)),
                    fuses: fuses(of: deliveries, client, options)
                ).lines(deliveries.reversed())
            } else {
                DeliveryTable(width: screen.width, palette: screen.palette, showsIDs: ids).lines(deliveries)
            }
        for line in lines { Output.line(line) }
        try Output.flush()
        try finish(search, count: deliveries.count, names)
    }

    /// What devices have said of records; where it cannot be read, that is said, and the rest is told.
    private func receipts(of deliveries: [LoggedDelivery], _ devices: ReceiptReader) -> [ReceiptSubject:
        [DeliveryReceipt]]
    {
        do throws(MongoError) {
            var found: [ReceiptSubject: [DeliveryReceipt]] = [:]
            let subjects = deliveries.compactMap(\.receiptSubject)
            for start in stride(from: 0, to: subjects.count, by: Self.usualLimit) {
                let some = Array(subjects[start..<min(start + Self.usualLimit, subjects.count)])
                found.merge(try devices.receipts(of: some)) { first, _ in first }
            }
            return found
        } catch {
            Terminal.say("waybill logs: receipts are not readable: \(error)")
            return [:]
        }
    }

    /// What the fuses of prune have done with records' events; as with receipts, the rest is told without it.
    private func fuses(
        of deliveries: [LoggedDelivery],
        _ client: MongoClient,
        _ options: DeliveryLogOptions
    ) -> FuseStory? {
        do throws(MongoError) {
            return try FuseStory(of: deliveries, client: client, options: options)
        } catch {
            Terminal.say("waybill logs: fuses are not readable: \(error)")
            return nil
        }
    }

    /// Says what is left, and how to come to it.
    private func finish(_ search: DeliverySearch, count: Int, _ names: KnownNames) throws {
        if count > 0 { sayWhatIsNotLeftOut(names) }
        guard let next = search.position else {
            if count == 0 { sayNothingFound(names) }
            return
        }
        guard search.isCutShort else {
            Terminal.say(
                "waybill logs: there may be more; the same with --limit, or for the next --cursor \(next.text)"
            )
            return
        }
        guard !search.isAmongLate, !next.isBeyondLikely else {
            if count == 0 { sayNothingFound(names) }
            Terminal.say(
                "waybill logs: messages that are more than an hour older than --since were not all looked at; "
                    + "to look at them, too: --cursor \(next.text)"
            )
            return
        }
        let reached = next.messageTime.map { " among messages since \(DeliveryClock.text($0))" } ?? ""
        throw CommandFailure(
            .temporary,
            "\(Counted.text(count, "record")) found\(reached), and the time is up; to look further --cursor \(next.text)"
        )
    }

    private func sayNothingFound(_ names: KnownNames) {
        let query = filters.query(limit: nil)
        let hint =
            filters.hint
            ?? names.hint(query).map(Cell.printable)
        Terminal.say("waybill logs: nothing found\(hint.map { "; \($0)" } ?? "")")
    }

    /// A name that nobody has leaves out nothing, and what was found does not show it.
    private func sayWhatIsNotLeftOut(_ names: KnownNames) {
        let query = filters.query(limit: nil)
        if let hint = names.hint(leftOutBy: query) { Terminal.say("waybill logs: \(Cell.printable(hint))") }
    }
}
