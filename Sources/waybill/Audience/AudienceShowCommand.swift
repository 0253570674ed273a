import ArgumentParser
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillOperations
import WaybillSettings

/// `waybill audience show`.
struct AudienceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show how far an audience is, and what became of its notifications.",
        discussion: """
            Examples:
              waybill audience show news-7
              waybill audience show news-7 --client acme --json
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("The audience_id.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("Whose it is, where several clients have one of this name.", valueName: "client"))
    var client: String?

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .audience) { store, database in
            let named = try AudienceStore(client: store, database: database).records(named: id)
            let record = try Self.only(named.filter { client?.isExactly($0.client) ?? true }, named: id)
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            // Another client may have a batch of the same name, and its own may have had others before.
            let own = DeliveryQuery(
                batch: BatchName(id, includesParts: false),
                client: TextFilter([record.client])
            )
            let counts = try DeliveryLogReader(client: store, options: options, scope: .all)
                .counts(own, ofMessagesFrom: record.messageTimes)
            let order = record.order(among: try OrderReader(client: store, database: database).orders().cancelled)
            if json {
                Output.json(Self.object(record, counts, order: order))
            } else {
                let width = Screen.output.pageWidth
                for line in Self.lines(record, counts, order: order, width: width) { Output.line(line) }
            }
        }
    }

    /// - Throws: ``CommandFailure`` where there is none, or where it is not said which of several is meant.
    static func only(_ records: [AudienceRecord], named id: String) throws -> AudienceRecord {
        guard let record = records.first else {
            throw CommandFailure(.noInput, "there is no audience \(Cell.printable(id))")
        }
        guard records.count == 1 else {
            let clients = records.map { Cell.printable($0.client) }.joined(separator: ", ")
            throw CommandFailure(.badInput, "these clients have one of this name: \(clients); say which with --client")
        }
        return record
    }

    /// - Parameters:
    ///   - record: the audience's.
    ///   - counts: of its notifications.
    ///   - order: that ends it when the fan-out looks at it next.
    /// - Returns: how far it is.
    static func object(_ record: AudienceRecord, _ counts: [OutcomeCount], order: Cancellation? = nil) -> JSONObject {
        var outcomes = JSONObject()
        for count in counts { outcomes.add(count.outcome, count.count) }
        var object = JSONObject()
        object.add("audience_id", record.id)
        object.add("client", record.client)
        object.add("state", record.state.rawValue)
        object.add("due", TimeText.text(milliseconds: record.due))
        object.add("cancel_key", record.cancelKey)
        object.add("expanded", record.expanded)
        let recorded = counts.reduce(0) { $0 + $1.count }
        object.add("handed_over", record.knownHandedOver(recorded: recorded))
        object.add("unconfirmed", record.unconfirmed(recorded: recorded))
        object.add("without_lane", record.withoutLane)
        object.add("without_content", record.withoutContent)
        object.add("reason", record.reason)
        object.add("cancelled_by", order?.source.name)
        object.add("cancelled_at", order.map { TimeText.text(milliseconds: $0.source.date) })
        object.add("finished_at", record.finishedAt.map { TimeText.text(milliseconds: $0) })
        object.add("outcomes", outcomes)
        return object
    }

    /// That an order ends it.
    private static func ordered(_ order: Cancellation, _ record: AudienceRecord, width: Int) -> [String] {
        let key = order.batch.includes(record.id) ? "" : ", by its cancel_key \(order.batch.name)"
        let words =
            "by \(order.source.name) at \(DeliveryClock.text(order.source.date))\(key): nothing more is handed over"
        return Cell.wrapped(Cell.printable(words), to: width - 16).enumerated().map { position, line in
            (position == 0 ? "cancelled       " : "                ") + line
        }
    }

    /// As ``object(_:_:order:)``.
    static func lines(
        _ record: AudienceRecord,
        _ counts: [OutcomeCount],
        order: Cancellation? = nil,
        width: Int
    ) -> [String] {
        let due = record.state == .waiting ? ["due             \(DeliveryClock.text(record.due))"] : []
        let reason = record.reason.map { ": \(Cell.printable($0))" } ?? ""
        let recorded = counts.reduce(0) { $0 + $1.count }
        let unconfirmed = record.unconfirmed(recorded: recorded)
        let more = unconfirmed > 0 ? ", and \(unconfirmed) that the broker may have" : ""
        let state = Cell.wrapped("\(Cell.printable(record.id))  \(record.state.rawValue)\(reason)", to: width)
        return state + due + (order.map { ordered($0, record, width: width) } ?? []) + [
            "devices found   \(record.expanded)",
            "handed over     \(record.knownHandedOver(recorded: recorded))\(more)",
            "without a lane  \(record.withoutLane)",
            "without content \(record.withoutContent)",
        ] + counts.map { Cell.padded(Cell.printable($0.outcome), to: 15) + " \($0.count)" }
    }
}
