import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillOperations
import WaybillSettings
import WaybillThreads

/// `waybill stats`: how many notifications ended how, over time.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show how many notifications ended how, over time.",
        discussion: """
            Examples:
              waybill stats                                    the last 24 hours
              waybill stats --since 2h --every 5m --by reason  what went wrong, and when
              waybill stats --since 30d --every 1d --by client --csv > clients.csv
              waybill stats --json --every 1m --since 15m
              waybill stats --since 7d --every 1d --receipts   what devices said

            Counts final records by the minute of their outcome, from statistics that the dispatchers keep beside the log: \
            the log itself is not read. Steps begin at multiples of their length, in UTC. Percentiles of the latency are \
            interpolated. Minutes whose counts may still lack something, after a crash, are named on standard error.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @OptionGroup(title: "Filters") var filters: StatsFilters

    @Option(
        help: ArgumentHelp("The length of a step, whole minutes: 1m, 5m, 1h, 1d.", valueName: "duration"),
        transform: Self.step
    )
    var every: Int64 = 60

    @Option(
        help: ArgumentHelp("Divide by reason, client, lane, topic, push-type or outcome.", valueName: "what"),
        transform: Self.dimension
    )
    var by: StatisticsQuery.Dimension?

    @Flag(help: "Count what devices have said of them, too; this reads the log.")
    var receipts = false

    @Flag(help: "Write NDJSON, one object for each step and value.")
    var json = false

    @Flag(help: "Write CSV, with a heading.")
    var csv = false

    @Flag(help: "Mark the minutes from --since to --until for a recount by the dispatchers, and show nothing.")
    var recount = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("'--json' and '--csv' exclude each other.") }
        guard !recount || !(json || csv || receipts || by != nil) else {
            throw ValidationError("'--recount' shows nothing; leave '--json', '--csv', '--receipts' and '--by' away.")
        }
        guard !recount || filters.since != nil else {
            throw ValidationError("'--recount' needs '--since': it makes the dispatchers read the log again.")
        }
    }

    func run() throws {
        let store = try settings.loadStore(for: .logs)
        try reportingFailures(of: "stats") {
            // Nothing is written here: how long records are kept is the dispatcher's business.
            let options = DeliveryLogOptions(database: store.database, retention: RetentionPolicy(default: .keep))
            let pool = try store.pool(for: "stats")
            try pool.withClient { (client) throws(MongoError) in
                if recount { try mark(client, store.database) } else { try show(client, options) }
            }
        }
    }

    private var now: Int64 { WallClock.milliseconds() }

    /// The last 24 hours by default, and whole steps of them.
    private var query: StatisticsQuery {
        let until = filters.until ?? now
        let since = filters.since ?? until - 86_400_000
        let step = every * 60_000
        return filters.query(since: since / step * step, until: until, step: every, dimension: by)
    }

    private func show(_ client: MongoClient, _ options: DeliveryLogOptions) throws(MongoError) {
        let database = options.database
        let reader = StatisticsReader(client: client, database: database, scope: .all)
        let query = query
        var series = try reader.series(query, within: Self.patience)
        if receipts {
            let said = ReceiptStatistics(client: client, options: options, scope: .all)
            try said.add(to: &series, query, within: Self.patience)
        }
        if json {
            for row in series.rows { Output.json(StatisticsJSON.line(row, dimension: by)) }
        } else if csv {
            for line in StatsCSV.lines(series.rows, dimension: by) { Output.line(line, terminator: "\r\n") }
        } else {
            let screen = Screen.output
            let table = StatsTable(query: query, width: screen.width, palette: screen.palette)
            for line in table.lines(series.rows) { Output.line(line) }
        }
        let names = KnownNames(client: client, database: database, scope: .all)
        if series.rows.isEmpty {
            let hint = names.hint(filters.logged)
            Terminal.say("waybill stats: nothing was counted\(hint.map { "; \(Cell.printable($0))" } ?? "")")
        } else if let hint = names.hint(leftOutBy: filters.logged) {
            Terminal.say("waybill stats: \(Cell.printable(hint))")
        }
        if series.isCut {
            Terminal.say(
                "waybill stats: only the first \(StatisticsReader.rowLimit) rows; a longer --every makes fewer"
            )
        }
        for (unit, until) in [("hours", series.wholeHoursUntil), ("days", series.wholeDaysUntil)] {
            guard let until else { continue }
            Terminal.say(
                "waybill stats: before \(DeliveryClock.text(until).prefix(16)) only whole \(unit) are kept: "
                    + "each stands in the step in which it begins"
            )
        }
        if series.minutesInDoubt > 0 {
            let minutes = Counted.text(series.minutesInDoubt, "minute")
            Terminal.say(
                "waybill stats: \(minutes) of these may lack something and will be recounted by the dispatchers"
            )
        }
    }

    private func mark(_ client: MongoClient, _ database: String) throws(MongoError) {
        guard let since = filters.since else { return }
        let until = min(filters.until ?? now, now)
        let marked = try StatisticsRecount.mark(since: since, until: until, client: client, database: database)
        let period = "from \(DeliveryClock.text(since).prefix(16)) to \(DeliveryClock.text(until).prefix(16))"
        guard marked.minutes > 0 else {
            Terminal.say(
                "waybill stats: nothing \(period) can be recounted, for only the sums of hours or days are kept"
            )
            return
        }
        Terminal.say(
            "waybill stats: the dispatchers recount what ended \(period); until they have, waybill stats says that minutes "
                + "may lack something"
        )
        guard marked.summedUp > 0 else { return }
        Terminal.say(
            "waybill stats: some of that cannot be recounted, for of long ago only the sums of hours or days are kept"
        )
    }
}

extension StatsCommand {
    /// Months take a while; whoever has waited long enough interrupts it.
    private static let patience = Duration.seconds(600)
    /// The longest step, a week.
    private static let longest: Int64 = 7 * 24 * 60

    static func step(_ text: String) throws -> Int64 {
        guard let duration = DurationText.sum(text), case let seconds = duration.components.seconds,
            duration == .seconds(seconds), seconds % 60 == 0, (1...longest).contains(seconds / 60)
        else { throw ValidationError("use whole minutes, 1m to 1w, such as 5m, 1h or 1d") }
        return seconds / 60
    }

    static func dimension(_ text: String) throws -> StatisticsQuery.Dimension {
        if text == "push-type" { return .pushType }
        guard let dimension = StatisticsQuery.Dimension(rawValue: text), dimension != .pushType else {
            throw ValidationError("use one of reason, client, lane, topic, push-type, outcome")
        }
        return dimension
    }
}
