import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations
import WaybillSettings

/// `waybill rejected list`: one line for each message.
struct RejectedListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the oldest messages: why each was rejected, and whose it is.",
        discussion: """
            Examples:
              waybill rejected list --limit 20
              waybill rejected list --json | jq -r .reason | sort | uniq -c

            ID is what show, replay --id and drop --id take: the message-id, or a digest of a message without one.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Look at no more than this many.", valueName: "n")
    )
    var limit = 100

    @Flag(help: "Show how each body begins, device tokens shortened. It may hold texts of your customers.")
    var body = false

    @Flag(help: "Write NDJSON, one object for each message.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws { try RejectedQueue.validate(limit: limit) }

    func run() throws {
        let broker = try settings.loadBroker(for: .rejected)
        try reportingFailures(of: "rejected") {
            try RejectedQueue.use(broker) { queue in
                let (total, messages) = try queue.see(limit: limit)
                show(messages, total: total, queue: queue.names.rejected)
            }
        }
    }

    private func show(_ messages: [RejectedMessage], total: Int, queue: String) {
        guard !json else {
            for message in messages { Output.json(message.json(withBody: body)) }
            return
        }
        guard !messages.isEmpty else {
            Terminal.say("waybill rejected: \(RejectedSummary.none(in: queue))")
            return
        }
        let screen = Screen.output
        for (position, line) in RejectedTable(width: screen.width).lines(messages).enumerated() {
            Output.line(position == 0 ? screen.palette.bold(line) : line)
            if body, position > 0 { Output.line("    " + Cell.printable(messages[position - 1].beginning)) }
        }
        var counts: [String: Int] = [:]
        for message in messages { counts[message.rejection.reason, default: 0] += 1 }
        let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
        Terminal.say(
            Cell.printable(
                "waybill rejected: \(total) in \(queue); looked at \(messages.count): \(reasons.joined(separator: ", "))"
            )
        )
    }
}
