import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages
import WaybillOperations
import WaybillSettings

/// `waybill rejected replay`: sends messages again.
struct RejectedReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Give messages back to the dispatchers, after what was wrong has been fixed.",
        discussion: """
            Examples:
              waybill rejected replay --reason unknown_lane
              waybill rejected replay --all --limit 100

            Each message goes to the retry queue, an audience to fan-out's, with the properties that its producer gave it and the name of its user, \
            and leaves the rejected queue when the broker has confirmed that. If the command is interrupted in between, a \
            message is in both queues. While an alarm of the broker lasts, nothing is replayed: the command waits for half a \
            minute, then ends with 75 and says what became of the messages. Events for prune go back to their own queue. \
            Afterwards the command waits for two seconds, and says how many have come straight back: what was wrong with \
            these still is.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput], own: RejectedOptions.statuses)
    )

    @OptionGroup var selection: RejectedOptions

    @Flag(help: "Write a summary as one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let broker = try settings.loadBroker(for: .rejected)
        try reportingFailures(of: "rejected") {
            try RejectedQueue.use(broker) { queue in
                let replayer = try RejectedReplayer(broker: broker, names: queue.names)
                defer { replayer.close() }
                var progress = ReplayProgress(queue: queue.names.rejected)
                var ids: Set<ExactName> = []
                let total: Int
                do {
                    total = try queue.remove(
                        limit: selection.limit,
                        where: selection.meant.contains,
                        if: {
                            progress.matched = $0.count
                            try selection.requireDistinct($0)
                            return true
                        },
                        after: {
                            progress.underWay = $0.id
                            try replayer.replay($0) { reason in
                                let words = reason.map(BrokerAlarmText.waiting) ?? BrokerAlarmText.over
                                Terminal.say("waybill rejected: \(words)")
                            }
                            progress.underWay = nil
                            ids.insert(ExactName($0.id))
                        },
                        done: { progress.replayed += $0 }
                    )
                } catch let error as AMQPError {
                    throw CommandFailure(ExitStatus(error), Cell.printable(progress.end(with: explanation(of: error))))
                }
                let (replayed, matched) = (progress.replayed, progress.matched)
                var summary = RejectedSummary("replayed", replayed, of: total, queue.names.rejected)
                if replayed > 0 { summary.returned = try queue.returned(ids, within: RejectedWork.returnPatience) }
                summary.show(asJSON: json)
                try selection.require(matched, in: queue.names.rejected)
            }
        }
    }
}
