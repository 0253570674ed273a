import ArgumentParser
import WaybillAMQP
import WaybillCore
import WaybillEncoding
import WaybillProviders
import WaybillSettings
import WaybillThreads

/// `waybill send`: a producer for files and for standard input.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Publish notifications from a file or from standard input.",
        discussion: """
            Examples:
              waybill send campaign.json
              waybill send parcels.ndjson --lane parcels --client acme --batch-id parcels-7
              waybill send tokens.csv --rate 500/s
              jq -c '.[]' users.json | waybill send - --format ndjson --dry-run

            The whole input is examined before anything is published; what is wrong is named with its line, and the exit \
            status is 65. Each message is persistent, confirmed by the broker, and carries the name of its batch as its \
            message id, the time of the run as its timestamp, and the broker's user as its user-id.

            JSON is one dispatch message, published as it is; NDJSON is one notification to a line; CSV has a header with \
            the names of a notification's fields. Several messages of one --batch-id are named NAME.1, NAME.2 and so on, \
            because a notification is identified by its batch and its position.

            A run that is interrupted (Ctrl-C, a lost connection: exit status 75 or 69) prints the command that continues. \
            With the same input and options, the same --batch-id and --at give every notification the same apns-id, so \
            that what was sent before is recognised.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("json, ndjson or csv; by default what the file's name says.", valueName: "format"))
    var format: InputFormat?

    @Option(
        parsing: .unconditional,
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

    @Option(help: ArgumentHelp("The name of the batch; by default the file's own, or a new one.", valueName: "name"))
    var batchID: String?

    /// As other commands call what ``batchID`` names.
    @Option(help: .hidden) var batch: String?

    @Option(
        help: ArgumentHelp(
            "The time of the messages, such as 2026-11-22T02:25:00Z; by default now. With --batch-id: an earlier run's.",
            valueName: "time"
        ),
        transform: Self.time
    )
    var at: Int64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Leave out this many messages at the beginning: an earlier run's.", valueName: "n")
    )
    var skip = 0

    @Flag(help: "Print the apns-id of each notification: batch, position, id. In --json they are always there.")
    var ids = false

    @Flag(help: "Examine the input and publish nothing.")
    var dryRun = false

    @Flag(help: "Publish the bytes unchanged and unexamined as one message; a batch_id that they have stays its name.")
    var raw = false

    @Flag(help: "Write a summary as one JSON object to standard output.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        if batch != nil { throw ValidationError("There is no '--batch' here: '--batch-id' names the batch.") }
        if let batchSize, batchSize < 1 {
            throw ValidationError("The value '\(batchSize)' is invalid for '--batch-size <n>': use 1 or more.")
        }
        for (name, value) in [("--client", client), ("--lane", lane), ("--batch-id", batchID)] where value == "" {
            throw ValidationError("The value of '\(name)' is empty.")
        }
        if skip < 0 { throw ValidationError("The value '\(skip)' is invalid for '--skip <n>': use 0 or more.") }
        let examines = format != nil || batchSize != nil || lane != nil || client != nil || dryRun || ids
        if raw, examines {
            throw ValidationError(
                "'--raw' publishes unexamined bytes: only '--batch-id', '--at' and '--json' go with it."
            )
        }
        if !raw, format == nil, InputFormat(fileName: file) == nil {
            throw ValidationError("The format cannot be told from '\(file)': give --format json, ndjson or csv.")
        }
    }

    func run() throws {
        let configuration = try settings.load(for: .send)
        let broker = try ConfigurationOptions.present(configuration.broker)
        try reportingFailures(of: "send") {
            let bytes = try InputFile.read(file)
            let now = WallClock.milliseconds()
            let decoder = BatchDecoder(
                limits: configuration.limits,
                lanes: configuration.lanes.map(\.lane),
                clientMaxAges: configuration.clients.compactMapValues { client in
                    client.maxAge.map { Int($0.components.seconds) }
                }
            )
            var run = SendRun(batchID: batchID, time: at, now: now)
            let messages: [OutgoingMessage]
            if raw {
                messages = [OutgoingMessage(id: run.batchID, body: bytes, count: 0)]
            } else {
                let input = try examined(ByteOrderMark.removed(from: bytes), run, decoder)
                messages = input.messages
                run = SendRun(batchID: input.batchID, time: run.time, now: now)
                sayNotes(of: messages, run, decoder, configuration.retention)
            }
            try publish(messages, run, decoder, broker)
        }
    }

    /// Says what is worth a word though nothing is wrong.
    private func sayNotes(
        of messages: [OutgoingMessage],
        _ run: SendRun,
        _ decoder: BatchDecoder,
        _ retention: RetentionPolicy?
    ) {
        var notes = SendNotes(retention: retention)
        for message in messages {
            if let batch = try? Self.batch(message, run, decoder).get() { notes.add(batch) }
        }
        for sentence in notes.sentences { Terminal.say("waybill send: \(Cell.printable(sentence))") }
    }

    /// What a dispatcher makes of a message.
    private static func batch(
        _ message: OutgoingMessage,
        _ run: SendRun,
        _ decoder: BatchDecoder
    ) -> Result<Batch, BodyRejection> {
        decoder.decode(message.body, properties: run.properties(messageID: message.id))
    }

    private func publish(
        _ messages: [OutgoingMessage],
        _ run: SendRun,
        _ reader: BatchDecoder,
        _ broker: BrokerSettings
    ) throws {
        if messages.isEmpty { Terminal.say("waybill send: the input holds no notifications; nothing was published") }
        let left = messages.dropFirst(skip)
        guard !left.isEmpty || messages.isEmpty else {
            throw CommandFailure(
                .badInput,
                "the input has \(Counted.text(messages.count, "message")): '--skip \(skip)' leaves none"
            )
        }
        var summary = SendSummary(
            messages: messages,
            run: run,
            command: ContinuingCommand(arguments: arguments),
            isDryRun: dryRun,
            skipped: skip,
            raw: raw ? messages.first.map { Self.batch($0, run, reader).map(\.id) } : nil
        )
        if !left.isEmpty { Terminal.say("waybill send: \(summary.announcement)") }
        if !dryRun, !left.isEmpty {
            let publisher = ConfirmedPublisher(broker: broker, rate: rate, showsProgress: !json)
            summary.report = try publisher.publish(Array(left), run: run)
        }
        let needsIDs = json || ids
        let found =
            needsIDs
            ? messages.compactMap { message in
                raw ? nil : (try? Self.batch(message, run, reader).get()).map(NotificationIDs.init)
            } : []
        if json {
            Output.json(summary.json(ids: found))
        } else {
            for batch in found {
                for (position, id) in batch.ids.enumerated() { Output.line("\(batch.batchID)\t\(position)\t\(id)") }
            }
        }
        guard let failure = summary.report?.failure else {
            if !json, !left.isEmpty { Terminal.say("waybill send: \(summary.text)") }
            return
        }
        Terminal.say("waybill send: \(explanation(of: failure)); \(summary.text)")
        Terminal.say("To continue with the same ids, from the same input:\n  \(summary.commandText)")
        throw ExitStatus(failure).exit
    }

    /// The words of this command line that another run needs as well.
    private var arguments: [String] {
        var words = [file]
        func add(_ name: String, _ value: String?) {
            if let value { words += [name, value] }
        }
        add("--format", format?.rawValue)
        add("--batch-size", batchSize.map(String.init))
        add("--rate", rate.map { "\($0.perSecond)/s" })
        add("--lane", lane)
        add("--client", client)
        if raw { words.append("--raw") }
        return words + settings.arguments
    }

    private func examined(
        _ bytes: [UInt8],
        _ run: SendRun,
        _ decoder: BatchDecoder
    ) throws -> (batchID: String, messages: [OutgoingMessage]) {
        let envelope = Envelope(batchID: run.batchID, client: client, lane: lane)
        if let lane, !decoder.lanes.contains(where: { $0.name.isExactly(lane) }) {
            throw CommandFailure(.badInput, "lane \(LaneName.unknown(lane, configured: decoder.lanes.map(\.name)))")
        }
        do throws(InputErrors) {
            let batcher = ItemBatcher(decoder: decoder, envelope: envelope, batchSize: batchSize ?? 100)
            // Validation has made sure that one of the two knows.
            switch format ?? InputFormat(fileName: file)! {
            case .json:
                return try JSONMessage(
                    decoder: decoder,
                    envelope: envelope,
                    isNamed: batchID != nil,
                    batchSize: batchSize
                ).messages(bytes)
            case .ndjson: return (run.batchID, try batcher.messages(NDJSONReader.items(bytes)))
            case .csv: return (run.batchID, try batcher.messages(CSVItems.items(bytes)))
            }
        } catch {
            let name = file == "-" ? "standard input" : file
            for line in error.lines { Terminal.say("waybill send: \(name): \(line)") }
            Terminal.say("waybill send: nothing was published")
            throw ExitStatus.badInput.exit
        }
    }

    private static func time(_ text: String) throws -> Int64 {
        guard let time = SendRun.time(text) else {
            throw ValidationError("use a time with whole seconds, such as 2026-11-22T02:25:00Z")
        }
        guard time <= WallClock.milliseconds() / 1000 + 3600 else { throw ValidationError("this time is yet to come") }
        return time
    }
}
