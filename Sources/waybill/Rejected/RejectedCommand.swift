import AMQP
import ArgumentParser
import Settings
import Topology

/// `waybill rejected`: what could not be read, without taking it away.
struct RejectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected",
        abstract: "Look at messages that could not be read.",
        discussion: """
            Shows the newest state of the rejected queue: why each body was refused, and how it begins when --body is \
            given. Everything stays in the queue; while the command runs, the messages it looks at are hidden from others.

            Examples:
              waybill rejected
              waybill rejected --limit 1000 --json | jq -r .reason | sort | uniq -c
              waybill rejected --body
            """
    )

    @Option(help: ArgumentHelp("Look at no more than this many.", valueName: "n"))
    var limit = 100

    @Flag(help: "Show how each body begins. It may hold device tokens and texts of your customers.")
    var body = false

    @Flag(help: "Write NDJSON, one object for each message.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("The value '\(limit)' is invalid for '--limit <n>': use 1 to 10000.")
        }
    }

    func run() throws {
        let broker = try settings.loadBroker(for: .rejected)
        try reportingFailures(of: "rejected") {
            let connection = try AMQPConnection.open(try broker.endpoint(for: "rejected"))
            // Nothing is acknowledged, so closing gives every message back.
            defer { connection.close() }
            let queue = broker.queues.rejected
            let total = try connection.inspectQueue(queue).messages
            var seen: [RejectedMessage] = []
            while seen.count < limit, let delivery = try connection.get(queue: queue) {
                seen.append(RejectedMessage(delivery))
            }
            show(seen, total: total, queue: queue)
        }
    }

    private func show(_ messages: [RejectedMessage], total: Int, queue: String) {
        for message in messages { print(json ? message.json(withBody: body) : message.text(withBody: body)) }
        guard !json else { return }
        guard !messages.isEmpty else {
            Terminal.say("waybill rejected: \(queue) is empty")
            return
        }
        var counts: [String: Int] = [:]
        for message in messages { counts[message.reason, default: 0] += 1 }
        let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
        Terminal.say(
            "waybill rejected: \(total) in \(queue); looked at \(messages.count): \(reasons.joined(separator: ", "))"
        )
    }
}
