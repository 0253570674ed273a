import AMQP
import ArgumentParser
import Settings
import WaybillCore

/// `waybill send`: a producer for files and for standard input.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Publish notifications from a file or from standard input.",
        discussion: """
            The whole input is examined before anything is published; what is wrong is named with its line, and the exit \
            status is 65. Each message is persistent, confirmed by the broker, and carries a message id and its time.

            JSON is one dispatch message, published as it is; NDJSON is one notification to a line; CSV has a header with \
            the names of a notification's fields. Several messages of one --batch-id are named NAME.1, NAME.2 and so on, \
            because a notification is identified by its batch and its position.

            Examples:
              waybill send campaign.json
              waybill send parcels.ndjson --lane parcels --client acme --batch-id parcels-7
              waybill send tokens.csv --rate 500/s
              jq -c '.[]' users.json | waybill send - --format ndjson --dry-run
            """
    )

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("json, ndjson or csv; by default what the file's name says.", valueName: "format"))
    var format: InputFormat?

    @Option(
        help: ArgumentHelp(
            "Notifications in one message: 100 for NDJSON and CSV; JSON is split only when this is given.",
            valueName: "n"
        )
    )
    var batchSize: Int?

    @Option(
        help: ArgumentHelp("Publish at most this many notifications a second, such as 500 or 500/s.", valueName: "n/s")
    )
    var rate: SendRate?

    @Option(help: ArgumentHelp("The lane; by default the first one of the configuration.", valueName: "name"))
    var lane: String?

    @Option(help: ArgumentHelp("The client, which decides how long records are kept.", valueName: "name"))
    var client: String?

    @Option(help: ArgumentHelp("The name of the batch; by default each message's own id.", valueName: "name"))
    var batchID: String?

    @Flag(help: "Examine the input and publish nothing.")
    var dryRun = false

    @Flag(help: "Publish the bytes unchanged and unexamined as one message.")
    var raw = false

    @Flag(help: "Write a summary as one JSON object to standard output.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        if let batchSize, batchSize < 1 {
            throw ValidationError("The value '\(batchSize)' is invalid for '--batch-size <n>': use 1 or more.")
        }
        let examines = format != nil || batchSize != nil || lane != nil || client != nil || batchID != nil || dryRun
        if raw, examines { throw ValidationError("'--raw' publishes unexamined bytes and goes only with '--json'.") }
        if !raw, format == nil, InputFormat(fileName: file) == nil {
            throw ValidationError("The format cannot be told from '\(file)': give --format json, ndjson or csv.")
        }
    }

    func run() throws {
        let configuration = try settings.load()
        try reportingFailures(of: "send") {
            let bytes = try InputFile.read(file)
            let messages = raw ? [OutgoingMessage(body: bytes, count: 0)] : try examined(bytes, configuration)
            var summary = SendSummary(messages: messages.count, notifications: messages.reduce(0) { $0 + $1.count })
            if !dryRun {
                let publisher = ConfirmedPublisher(broker: configuration.broker, rate: rate, showsProgress: !json)
                let outcome = try publisher.publish(messages)
                summary.elapsed = outcome.elapsed
            }
            summary.show(asJSON: json, isDryRun: dryRun)
        }
    }

    private func examined(_ bytes: [UInt8], _ configuration: WaybillConfiguration) throws -> [OutgoingMessage] {
        let decoder = BatchDecoder(limits: configuration.limits, lanes: configuration.lanes.map(\.lane))
        let envelope = Envelope(batchID: batchID, client: client, lane: lane)
        if let lane, !configuration.lanes.contains(where: { $0.name == lane }) {
            let names = configuration.lanes.map(\.name).joined(separator: ", ")
            throw CommandFailure(.badInput, "there is no lane \(lane); configured: \(names)")
        }
        do throws(InputErrors) {
            let batcher = ItemBatcher(decoder: decoder, envelope: envelope, batchSize: batchSize ?? 100)
            // Validation has made sure that one of the two knows.
            switch format ?? InputFormat(fileName: file)! {
            case .json:
                return try JSONMessage(decoder: decoder, envelope: envelope, batchSize: batchSize).messages(bytes)
            case .ndjson: return try batcher.messages(NDJSONReader.items(bytes))
            case .csv: return try batcher.messages(CSVItems.items(bytes))
            }
        } catch {
            let name = file == "-" ? "standard input" : file
            for line in error.lines { Terminal.say("waybill send: \(name): \(line)") }
            Terminal.say("waybill send: nothing was published")
            throw ExitStatus.badInput.exit
        }
    }
}
