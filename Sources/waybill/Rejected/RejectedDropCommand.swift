import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations
import WaybillSettings

/// `waybill rejected drop`: takes messages away for good.
struct RejectedDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Take messages away for good.",
        discussion: """
            Examples:
              waybill rejected drop --reason not_json --yes
              waybill rejected drop --all

            Asks before it does so, on a terminal; elsewhere it needs --yes.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput], own: RejectedOptions.statuses)
    )

    @OptionGroup var selection: RejectedOptions

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Write a summary as one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard yes || Terminal.canAsk else {
            throw ValidationError("'drop' takes messages away for good, and there is nobody to ask: say --yes.")
        }
    }

    func run() throws {
        let broker = try settings.loadBroker(for: .rejected)
        try reportingFailures(of: "rejected") {
            try RejectedQueue.use(broker) { queue in
                var (dropped, matched) = (0, 0)
                let total = try queue.remove(
                    limit: selection.limit,
                    where: selection.meant.contains,
                    if: {
                        matched = $0.count
                        try selection.requireDistinct($0)
                        return yes || Terminal.confirms("Drop \(Counted.text(matched, "message")) for good?")
                    },
                    after: { _ in },
                    done: { dropped += $0 }
                )
                RejectedSummary("dropped", dropped, of: total, queue.names.rejected).show(asJSON: json)
                try selection.require(matched, in: queue.names.rejected)
            }
        }
    }
}
