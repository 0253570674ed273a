import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages

/// Publishes notifications in batches, with confirms.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Publish batches to the dispatch queue and wait until the broker has confirmed all of them.",
        discussion: """
            Every payload holds sent=<nanoseconds of CLOCK_MONOTONIC>, from which the sink computes how long it took. \
            With --rate that is the instant when the message was due, however late it left. Prints one JSON object.
            """
    )

    @OptionGroup var broker: BrokerOptions

    @Option(help: "How many notifications.")
    var count: Int

    @Option(help: "Notifications a second; without it as fast as the broker confirms.")
    var rate: Double?

    @Option(help: "How messages are made: \(MessageForm.allCases.map(\.rawValue).joined(separator: ", ")).")
    var form = MessageForm.array

    @Option(help: "What a notification holds: payload, or message for a text of that many bytes.")
    var content = MessageContent.payload

    @Option(help: "Whose device tokens: \(TokenSequence.Form.allCases.map(\.rawValue).joined(separator: ", ")).")
    var tokens = TokenSequence.Form.apns

    @Flag(help: "Ask for critical alerts, which lanes to FCM send at their whole rate at once; not with campaign.")
    var critical = false

    @Option(help: "Notifications in a message.")
    var perMessage = 100

    @Option(help: "Bytes of a payload.")
    var payload = 200

    @Option(help: "The share of dead tokens, 0 to 1; they begin with dead.")
    var deadShare = 0.0

    @Option(help: "What the names of the batches begin with; a name that was used before means the same notifications.")
    var batchID = "bench"

    @Option(help: "Which device tokens: the same seed gives the same.")
    var seed: UInt64 = 1

    @Option(help: "The most messages that wait for their confirm.")
    var window = 256

    func validate() throws {
        guard count > 0, perMessage > 0, window > 0 else {
            throw ValidationError("--count, --per-message and --window take positive numbers.")
        }
        guard rate.map({ $0 > 0 }) ?? true else { throw ValidationError("--rate takes a positive number.") }
        guard !critical || form != .campaign else { throw ValidationError("--critical goes with array and envelope.") }
        guard (0...1).contains(deadShare) else { throw ValidationError("--dead-share takes 0 to 1.") }
        let least = MessageWriter.minimumSize(content)
        guard payload >= least else { throw ValidationError("--payload takes at least \(least) here.") }
        guard !batchID.isEmpty, batchID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
        else { throw ValidationError("--batch-id takes letters, digits, '-', '.' and '_'.") }
    }

    func run() throws {
        let report = try broker.use("waybill-bench load") { (connection) throws(AMQPError) in
            var run = LoadRun(
                connection: connection,
                exchange: broker.queues.exchange,
                queue: broker.queues.dispatch,
                batchPrefix: batchID,
                notifications: count,
                perMessage: perMessage,
                rate: rate,
                window: window,
                writer: MessageWriter(
                    form: form,
                    content: content,
                    size: payload,
                    isCritical: critical,
                    tokens: TokenSequence(form: tokens, seed: seed, deadShare: deadShare)
                )
            )
            return try run.run()
        }
        var object = JSONObject()
        object.add("messages", report.messages)
        object.add("notifications", report.notifications)
        object.add("dead", report.dead)
        object.add("bytes", report.bytes)
        object.add("seconds", report.seconds)
        object.add("latest_ms", report.latestMilliseconds)
        print(object.text)
    }
}
