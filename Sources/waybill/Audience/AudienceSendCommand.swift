import ArgumentParser
import Foundation
import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMessages
import WaybillProviders
import WaybillSettings
import WaybillThreads

/// `waybill audience send`.
struct AudienceSendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Publish an audience message.",
        discussion: """
            Examples:
              waybill audience send news.json                   a message as audience-message.schema.json has it
              waybill audience send --id news-7 --client acme --app com.example.parcels --message "News" --dry-run
              waybill audience send --id news-8 --client acme --app com.example.parcels --tag beta --content push.json

            Examines the message, the content by the rules of the lanes that the configuration has; counts the devices, and \
            those without a lane, then publishes and waits for the broker's confirm. The same id with the same message is the same \
            audience, however often it is published. Interrupted (Ctrl-C), it says whether the broker may have the message, and \
            how to follow or cancel it then.
            """
                + ExitStatus.help(
                    ExitStatus.ofServers + [.badInput, .noInput],
                    own: [.temporary: "interrupted or try again later"]
                )
    )

    @Argument(help: ArgumentHelp("The message; - reads it from standard input.", valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("The audience's name, and the batch_id of its notifications.", valueName: "name"))
    var id: String?

    @Option(help: ArgumentHelp("Whose notifications these are.", valueName: "client"))
    var client: String?

    @Option(help: ArgumentHelp("The lane; by default each device takes that of its app.", valueName: "lane"))
    var lane: String?

    @Option(help: ArgumentHelp("The text of an alert.", valueName: "text"))
    var message: String?

    @Option(help: ArgumentHelp("The title of an alert.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("A file with the content as an object, in place of --message.", valueName: "file"))
    var content: String?

    @Option(
        help: ArgumentHelp("When it begins: a time with Z or an offset, or 2h for in two hours.", valueName: "time")
    )
    var at: String?

    @Option(help: ArgumentHelp("A name for several audiences that are cancelled together.", valueName: "name"))
    var cancelKey: String?

    @Flag(help: "Count and examine, and publish nothing.")
    var dryRun = false

    @OptionGroup(title: "Devices") var filters: AudienceFilters

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        if file != nil {
            guard id == nil, client == nil, lane == nil, message == nil, title == nil, content == nil, at == nil,
                cancelKey == nil, filters.app.isEmpty
            else { throw ValidationError("A file has all of the message: give it alone, or options alone.") }
        } else {
            guard id != nil, client != nil else { throw ValidationError("Give a file, or '--id' and '--client'.") }
            guard (message != nil) != (content != nil) else {
                throw ValidationError("Give a file, or '--message' or '--content'.")
            }
            guard content == nil || title == nil else {
                throw ValidationError("'--title' goes with '--message'; a content has its own.")
            }
            _ = try filters.selection()
        }
    }

    func run() throws {
        let sections = try settings.load(for: .audience)
        let broker = try ConfigurationOptions.present(sections.broker)
        try reportingFailures(of: "audience send") {
            let body = try body()
            // Until here, where it may wait for its standard input, a signal ends it: nothing was done yet.
            Interruption.install()
            let audience: AudienceMessage
            do throws(BodyRejection) {
                audience = try AudienceMessage(decoding: body)
                var examined = audience
                // Who only publishes may have a configuration without lanes.
                if sections.lanes.isEmpty { examined.lanes = [] }
                try AudienceExamination(sections).examine(examined, now: WallClock.milliseconds())
            } catch {
                throw CommandFailure(.badInput, error.detail)
            }
            var devices = ""
            var known: AudienceRecord?
            try StoreCommand.run(settings, for: .audience) { client, database in
                let audiences = AudienceStore(client: client, database: database)
                known = try audiences.record(audience.id, of: audience.client)
                if let known {
                    guard try audiences.isRepeat(NewAudience(audience, body: body)) else {
                        throw CommandFailure(.badInput, KnownAudience.another(known, isRelative: isRelative))
                    }
                    return
                }
                let reader = AudienceReader(client: client, database: database)
                let shares = try CountProgress.shown("device") { counted in
                    try reader.shares(audience.selection, of: audience.client, counted: counted)
                }
                let count = shares.reduce(0) { $0 + $1.devices }
                devices = Counted.text(count, "device")
                if let words = ClientWords.unnamed(audience.client, sections.retention) {
                    Terminal.say("waybill audience: \(Cell.printable(words))")
                }
                if count == 0 {
                    Terminal.say("waybill audience: nobody gets it as the registry is now: no enabled device matches")
                }
                let lanes = sections.lanes.map(\.lane)
                guard !lanes.isEmpty else { return }
                let reach = AudienceReach(shares, of: audience, over: lanes)
                let lines = dryRun ? ReachText.lines(reach) : ReachText.lines(reach.leftOut)
                if !lines.isEmpty { devices += " (\(lines.joined(separator: ", ")))" }
            }
            guard !Interruption.isAsked else { throw Interruption.failure(InterruptedAudience.unpublished) }
            if let known { return Terminal.say("waybill audience: \(KnownAudience.same(known))") }
            guard !dryRun else { return Terminal.say("waybill audience: \(devices); nothing was published") }
            try AudiencePublisher.publish(audience, body: body, broker: broker)
            Terminal.say("waybill audience: \(devices); \(Cell.printable(audience.id)) is with the broker")
        }
    }

    /// Whether its time depends on when the command runs.
    private var isRelative: Bool { at.map { DurationText.sum($0) != nil } ?? false }

    private func body() throws -> [UInt8] {
        if let file { return try Self.bytes(of: file) }
        return AudienceMessage(
            id: id ?? "",
            client: client ?? "",
            lanes: lane.map { [$0] } ?? [],
            content: try contentMembers(),
            selection: try filters.selection(),
            at: try at.map(Self.time),
            cancelKey: cancelKey
        ).encoded()
    }

    /// The members of the content, without its braces.
    private func contentMembers() throws -> [UInt8] {
        guard let content else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("message", message)
            writer.member("title", title)
            writer.endObject()
            return Array(writer.bytes.dropFirst().dropLast())
        }
        let text = String(decoding: try Self.bytes(of: content), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix("{"), text.hasSuffix("}"), text.count > 2 else {
            throw CommandFailure(.badInput, "\(content) holds no JSON object")
        }
        return Array(text.utf8.dropFirst().dropLast())
    }

    private static func bytes(of file: String) throws -> [UInt8] {
        if file == "-" { return ByteOrderMark.removed(from: Array(FileHandle.standardInput.readDataToEndOfFile())) }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandFailure(.noInput, "\(file) cannot be read")
        }
        return ByteOrderMark.removed(from: Array(data))
    }

    static func time(_ text: String) throws -> Int64 {
        if let ahead = DurationText.sum(text) {
            return WallClock.milliseconds() + Int64(ahead / .milliseconds(1))
        }
        guard let time = TimeText.instant(text) else {
            throw CommandFailure(
                .badInput,
                "--at: use a time with Z or an offset, such as 2026-11-24T08:00:00Z or 2026-11-24T09:00+01:00, or 2h"
            )
        }
        return time
    }
}
