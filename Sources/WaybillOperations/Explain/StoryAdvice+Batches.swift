import WaybillDeliveryLog
import WaybillEncoding

extension StoryAdvice {
    /// Who has cancelled a batch.
    static func cancelled(_ order: BatchStory.Cancellation, isRecorded: Bool) -> String {
        let whose = order.client.map { " for the client \($0)" } ?? ""
        let note = order.note.map { " (\($0))" } ?? ""
        let end =
            isRecorded
            ? "" : " Nothing of it is recorded: what waits in a queue ends as cancelled when its turn comes."
        return
            "It was cancelled\(whose) by \(order.source) at \(TimeText.text(milliseconds: order.date))\(note): what was "
            + "published by then and not sent, is not sent any more.\(end)"
    }

    /// That nothing which is recorded of a batch is to be sent any more, and whether all of it is known to have a record.
    static func final(of story: BatchStory, isWhole: Bool, repeated: Int = 0, isHeldUp: Bool = false) -> String {
        if isWhole, repeated == 0 { return "Nothing of it waits: all of it has ended." }
        let which = story.sample == nil ? "that is recorded of it" : "of it that was looked at"
        if repeated > 0 { return "All \(which) has ended, but \(self.repeated(repeated, isHeldUp: isHeldUp))." }
        return "All \(which) has ended. Whether more of it waits cannot be told from the log."
    }

    /// That nobody has looked into the rejected queue, or not into all of it, and why.
    static func unseen(_ look: RejectedGlance.Outcome?, _ reader: StoryReader) -> [String] {
        if look?.isHeldElsewhere == true { return [heldElsewhere] }
        guard case .failure(let failure) = look else { return [] }
        let why = reader.isOperator ? ": \(failure)" : " at this moment"
        return [
            "The rejected queue was not looked into\(why). Whether a message of it was rejected is not known here."
        ]
    }

    private static let heldElsewhere =
        "The rejected queue could not be read whole: another process holds its messages (unacknowledged), as each look at them does. "
        + "Whether a message of it was rejected is not known here: ask again when that has ended."

    /// That nothing is recorded of what was handed over.
    static let handedOver =
        "Nothing of what was handed over is recorded yet: it waits in the broker, or in a delay queue."

    /// How many messages of a rejected batch are named one by one.
    private static let mostNamed = 3

    /// That messages of a batch were rejected: each once, the others counted.
    static func rejected(_ messages: [BatchStory.Rejected]) -> [String] {
        var sentences = messages.prefix(mostNamed).map { message in
            let time = message.date.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
            let detail = message.detail.map { " (\($0))" } ?? ""
            return
                "A message of it was rejected\(time) for \(message.reason)\(detail): it lies in the rejected queue, and nothing of "
                + "it is sent."
        }
        if messages.count > mostNamed {
            sentences.append("\(messages.count - mostNamed) more of its messages lie in the rejected queue.")
        }
        return sentences
    }

    /// How many messages a command names.
    private static let mostInCommand = 5

    /// What to do about rejected messages of a batch.
    ///
    /// - Parameters:
    ///   - messages: all of them.
    ///   - ownReasons: for which nothing but messages of the batch was rejected.
    ///   - reader: who is told.
    /// - Returns: what does it for all of them, as far as a command can name them.
    static func next(
        ofRejected messages: [BatchStory.Rejected],
        ownReasons: Set<String> = [],
        _ reader: StoryReader
    ) -> [String] {
        guard let first = messages.first else { return [] }
        let isOne = messages.count == 1
        var ids: [String] = []
        for message in messages where !ids.containsExactly(message.id) { ids.append(message.id) }
        let (named, left) = (ids.prefix(mostInCommand), max(0, ids.count - mostInCommand))
        guard reader.isOperator else {
            let which = named.joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
            return [
                "Correct what the reason names and publish \(isOne ? "it" : "them") again, or ask the operator to send the rejected "
                    + "message\(isOne ? "" : "s") \(which) again when the fault was not the message\(isOne ? "'s" : "s'")."
            ]
        }
        let reasons = Set(messages.map(\.reason))
        let isByReason = !isOne && reasons.isSubset(of: ownReasons)
        let options =
            isByReason
            ? reasons.sorted().map { "--reason \(ShellWord.quoted($0))" } : named.map { "--id \(ShellWord.quoted($0))" }
        let shared = isByReason ? [] : messages.filter { $0.sameID > 1 && named.containsExactly($0.id) }
        let meant = (options + (shared.isEmpty ? [] : ["--same-id"])).joined(separator: " ")
        var next = [
            "See \(isOne ? "it" : "the first of them"): `waybill rejected show \(ShellWord.quoted(first.id))`.",
            "If the message\(isOne ? " is" : "s are") at fault, publish \(isOne ? "it" : "them") again correctly, then "
                + "`waybill rejected drop \(meant)`. If the configuration was, correct that, then `waybill rejected replay \(meant)`.",
        ]
        next += sharing(of: shared)
        if !isByReason, left > 0 {
            next.append(
                "That names \(named.count) of them; there are \(left) more: ask again when these have gone."
            )
        }
        return next
    }

    /// What `--same-id` takes with it, of each id that several messages have.
    private static func sharing(of messages: [BatchStory.Rejected]) -> [String] {
        var told: Set<String> = []
        return messages.filter { told.insert($0.id).inserted }.map { message in
            let others =
                switch message.sameIDElsewhere {
                case 0: ""
                case 1: ", 1 of which is not of this batch: look at each before"
                case let count: ", \(count) of which are not of this batch: look at each before"
                }
            return "\(message.sameID) messages have the id \(message.id), and `--same-id` means all of them\(others)."
        }
    }
}
