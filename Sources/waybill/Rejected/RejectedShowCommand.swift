import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations
import WaybillSettings

/// `waybill rejected show`: one message.
struct RejectedShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one message: its reason, its properties and its body.",
        discussion: """
            Examples:
              waybill rejected show 1
              waybill rejected show 019a4b5c-… --json

            Device tokens in the body are shortened; --full shows the body as it is. On a terminal hidden characters are written \
            out, as in [U+202E], and of a long body the beginning is shown, unless it is --full.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The message's id, or its number in the list.", valueName: "message"))
    var message: String

    @Flag(help: "Show the body as it is, with its device tokens.")
    var full = false

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let broker = try settings.loadBroker(for: .rejected)
        try reportingFailures(of: "rejected") {
            try RejectedQueue.use(broker) { queue in
                let (_, messages) = try queue.see(limit: RejectedQueue.mostMessages)
                let named = messages.first { $0.id.isExactly(message) }
                guard let found = named ?? messages.first(where: { String($0.position) == message }) else {
                    throw CommandFailure(
                        .noInput,
                        "no message \(Cell.printable(message)) among the \(messages.count) oldest of "
                            + queue.names.rejected
                    )
                }
                let same = messages.filter { $0.id.isExactly(found.id) }
                guard !json else { return Output.json(found.jsonPage(isFull: full, sameID: same.count)) }
                if let shared = RejectedSelection.sharedID(among: same) {
                    Terminal.say(
                        "waybill rejected: this is number \(found.position); \(same.count) messages have its id, numbers "
                            + shared.numbers
                    )
                }
                Output.line(found.page(isFull: full, isOnScreen: Screen.output.isTerminal))
            }
        }
    }
}
