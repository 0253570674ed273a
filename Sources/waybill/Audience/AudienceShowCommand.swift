import ArgumentParser
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillSettings

/// `waybill audience show`.
struct AudienceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show how far an audience is, and what became of its notifications.",
        discussion: """
            Examples:
              waybill audience show news-7
              waybill audience show news-7 --json
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The audience_id.", valueName: "id"))
    var id: String

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .audience) { client, database in
            guard let record = try AudienceStore(client: client, database: database).record(id) else {
                throw CommandFailure(.noInput, "there is no audience \(Cell.printable(id))")
            }
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            let counts = try DeliveryLogReader(client: client, options: options, scope: .all)
                .counts(DeliveryQuery(batch: BatchName(id, includesParts: false)))
            if json {
                print(Self.object(record, counts).text)
            } else {
                for line in Self.lines(record, counts) { print(line) }
            }
        }
    }

    static func object(_ record: AudienceRecord, _ counts: [OutcomeCount]) -> JSONObject {
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
        object.add("reason", record.reason)
        object.add("finished_at", record.finishedAt.map { TimeText.text(milliseconds: $0) })
        object.add("outcomes", outcomes)
        return object
    }

    static func lines(_ record: AudienceRecord, _ counts: [OutcomeCount]) -> [String] {
        let due = record.state == .waiting ? ", due \(TimeText.text(milliseconds: record.due))" : ""
        let reason = record.reason.map { ": \(Cell.printable($0))" } ?? ""
        let recorded = counts.reduce(0) { $0 + $1.count }
        let unconfirmed = record.unconfirmed(recorded: recorded)
        let more = unconfirmed > 0 ? ", and \(unconfirmed) that the broker may have" : ""
        return [
            "\(Cell.printable(record.id))  \(record.state.rawValue)\(due)\(reason)",
            "devices found   \(record.expanded)",
            "handed over     \(record.knownHandedOver(recorded: recorded))\(more)",
            "without a lane  \(record.withoutLane)",
        ] + counts.map { Cell.padded(Cell.printable($0.outcome), to: 15) + " \($0.count)" }
    }
}
