import WaybillCore
import WaybillEncoding

/// What `waybill send` has done, for a person or a program.
struct SendSummary {
    let messages: [OutgoingMessage]
    let run: SendRun
    let command: ContinuingCommand
    let isDryRun: Bool
    /// Messages at the beginning that this run has left out.
    let skipped: Int
    /// Of bytes that are published unexamined: what the log will call their batch, or why dispatchers reject them; `nil` for messages that were
    /// examined.
    var raw: Result<String, BodyRejection>?
    /// How publishing went; `nil` in a dry run.
    var report: PublishReport?

    /// What is said before anything is published: it must be known when the rest is never said.
    var announcement: String {
        if let raw {
            let end = "message id \(run.batchID), time \(run.timeText)"
            return switch raw {
            case .failure(let rejection): "\(end); \(Self.words(rejection))"
            case .success(let name) where name.utf8.elementsEqual(run.batchID.utf8):
                "batch \(Cell.printable(name)), time \(run.timeText)"
            case .success(let name): "batch \(Cell.printable(name)), by the message itself; \(end)"
            }
        }
        let parts = messages.count > 1 ? " (parts 1 to \(messages.count))" : ""
        return "batch \(run.batchID)\(parts), time \(run.timeText)"
    }

    /// What becomes of a body that cannot be read, and where it is to be found then.
    private static func words(_ rejection: BodyRejection) -> String {
        let reason = "\(rejection.reason) (\(Cell.printable(rejection.detail)))"
        return "dispatchers of this configuration reject it as \(reason), and waybill rejected has it then"
    }

    /// One JSON object; `ids` are by message, and empty where nobody has looked into them.
    func json(ids: [NotificationIDs]) -> String {
        var object = JSONObject()
        object.add("messages", messages.count)
        object.add("notifications", notifications)
        object.add("confirmed", confirmed)
        object.add("skipped", skipped)
        object.add("dry_run", isDryRun)
        object.add("seconds", seconds)
        if let raw {
            object.add("batch_id", try? raw.get())
            object.add("message_id", run.batchID)
        } else {
            object.add("batch_id", run.batchID)
        }
        object.add("at", run.timeText)
        object.add(
            "batches",
            zip(messages, ids).map { message, ids in
                var batch = JSONObject()
                batch.add("batch_id", ids.batchID)
                batch.add("apns_ids", ids.ids.map(\.description))
                return batch
            }
        )
        object.add("command", commandText)
        return object.text
    }

    /// How it ended, for a person.
    var text: String {
        let what =
            notifications > 0
            ? "\(Counted.text(notifications, "notification")) in \(Counted.text(messages.count, "message"))"
            : Counted.text(messages.count, "message")
        guard let report else { return "\(what), nothing wrong; nothing was published" }
        guard report.failure == nil else {
            let rest = report.mayHaveArrived > 0 ? ", \(report.mayHaveArrived) more may have arrived" : ""
            return "\(confirmed) of \(Counted.text(messages.count, "message")) confirmed\(rest)"
        }
        let seconds = seconds ?? 0
        let sent = messages.dropFirst(skipped).reduce(0) { $0 + $1.count }
        let rate = seconds > 0 && sent > 0 ? ", \(Int(Double(sent) / seconds))/s" : ""
        let left = skipped > 0 ? ", the first \(skipped) by an earlier run" : ""
        return "\(what) published and confirmed in \(seconds) s\(rate)\(left)"
    }

    /// The command that continues, or repeats what is done.
    var commandText: String { command.text(run: run, done: done) }

    private var notifications: Int { messages.reduce(0) { $0 + $1.count } }

    /// Messages of the whole input that the broker has confirmed, as far as this run and the one before know.
    private var confirmed: Int { report.map { skipped + $0.confirmed } ?? 0 }

    /// What another run may leave out; 0 when there is nothing left to do, and another run repeats everything.
    private var done: Int {
        guard let report, report.failure != nil else { return 0 }
        return skipped + report.leading
    }

    /// To the millisecond.
    private var seconds: Double? {
        report.map { (($0.elapsed / .milliseconds(1)).rounded()) / 1000 }
    }
}
