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

/// What was done to the rejected queue, for a person or a program.
struct RejectedSummary {
    private let verb: String
    private let count: Int
    private let total: Int
    private let queue: String
    /// How many have been rejected again meanwhile, where that was looked at.
    var returned: Int?

    /// - Parameters:
    ///   - verb: what was done, such as `dropped`.
    ///   - count: to how many messages.
    ///   - total: how many there were.
    ///   - queue: the queue's name.
    init(_ verb: String, _ count: Int, of total: Int, _ queue: String) {
        self.verb = verb
        self.count = count
        self.total = total
        self.queue = queue
    }

    func show(asJSON: Bool) {
        guard asJSON else {
            Terminal.say("waybill rejected: \(verb) \(count) of \(total) in \(queue)")
            if let text { Terminal.say("waybill rejected: \(text)") }
            return
        }
        var object = JSONObject()
        object.add(verb, count)
        object.add("left", max(0, total - count))
        if let returned { object.add("returned", returned) }
        Output.json(object)
    }

    /// What became of them since.
    private var text: String? {
        switch returned {
        case nil: nil
        case 0: "none has come straight back; waybill rejected shows what does later"
        case .some(let returned):
            "\(Counted.text(returned, "message")) came straight back: the reason still holds, and waybill rejected shows it"
        }
    }
}
