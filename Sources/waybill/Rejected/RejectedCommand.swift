import ArgumentParser
import WaybillEncoding
import WaybillMessages
import WaybillOperations

/// `waybill rejected`: what could not be read or may not be sent, looked at, sent again or taken away.
struct RejectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected",
        abstract: "Look at messages that were rejected, send them again, or drop them.",
        discussion: """
            Examples:
              waybill rejected
              waybill rejected list --json | jq -r .reason | sort | uniq -c
              waybill rejected show 1
              waybill rejected replay --reason unknown_lane
              waybill rejected drop --id 019a4b5c-… --yes

            A message is rejected when its body cannot be read, when its producer may not send it, or when it was delivered \
            too often. While a command runs, the oldest 2,000 messages are hidden from others, whatever --limit says; those \
            that it leaves go back to their places, in their order. What comes after these 2,000 is seen when some of them \
            have left.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput]),
        subcommands: [
            RejectedListCommand.self, RejectedShowCommand.self, RejectedReplayCommand.self, RejectedDropCommand.self,
        ],
        defaultSubcommand: RejectedListCommand.self
    )
}

/// Which of the messages are meant.
struct RejectedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The messages of this id, as the list shows it; repeatable.", valueName: "id"))
    var id: [String] = []

    @Option(help: ArgumentHelp("The messages that were rejected for this reason; repeatable.", valueName: "reason"))
    var reason: [String] = []

    @Flag(help: "With --id: all messages of the id where several have it, which is refused otherwise.")
    var sameID = false

    @Flag(help: "All messages.")
    var all = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Look at no more than this many, the oldest first.", valueName: "n")
    )
    var limit = RejectedQueue.mostMessages

    func validate() throws {
        guard all || !id.isEmpty || !reason.isEmpty else {
            throw ValidationError("Say which messages: --id, --reason or --all.")
        }
        guard !all || id.isEmpty && reason.isEmpty else {
            throw ValidationError("'--all' goes with neither '--id' nor '--reason'.")
        }
        guard !sameID || !id.isEmpty else { throw ValidationError("'--same-id' goes with '--id'.") }
        for name in reason {
            guard let fault = RejectedSelection.fault(ofReason: name) else { continue }
            throw ValidationError("The value '\(name)' is invalid for '--reason <reason>': \(fault)")
        }
        try RejectedQueue.validate(limit: limit)
    }

    var meant: RejectedSelection {
        RejectedSelection(ids: Set(exactly: id), reasons: Set(reason), includesSameID: sameID)
    }

    static let statuses: [ExitStatus: String] = [
        .badInput: "several messages have an id that was given", .noInput: "no message has an id that was given",
    ]

    /// Goes on where an id that was given names one message of those that are meant, or all that have it are meant.
    ///
    /// - Throws: ``CommandFailure`` where it may be another one that is meant.
    func requireDistinct(_ meant: [RejectedMessage]) throws {
        guard let shared = self.meant.ambiguousID(among: meant) else { return }
        throw CommandFailure(
            .badInput,
            "\(shared.positions.count) messages have the id \(Cell.printable(shared.id)), and nothing was done; waybill "
                + "rejected show \(shared.numbers) shows each, and --same-id means all of them"
        )
    }

    /// Goes on where a message was meant, or none was named.
    ///
    /// - Throws: ``CommandFailure`` where ids were given and none was found.
    func require(_ matched: Int, in queue: String) throws {
        guard matched == 0, !id.isEmpty else { return }
        let which = id.count == 1 ? "that id" : "one of those ids"
        let why = reason.isEmpty ? "" : " and such a reason"
        throw CommandFailure(
            .noInput,
            "no message among the oldest \(limit) of \(queue) has \(which)\(why); waybill rejected shows them"
        )
    }
}

extension RejectedQueue {
    static func validate(limit: Int) throws {
        guard (1...mostMessages).contains(limit) else {
            throw ValidationError("The value '\(limit)' is invalid for '--limit <n>': use 1 to \(mostMessages).")
        }
    }
}
