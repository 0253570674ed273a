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
    static func final(of story: BatchStory, isWhole: Bool, repeated: Int = 0) -> String {
        if isWhole, repeated == 0 { return "Nothing of it waits: all of it has ended." }
        let which = story.sample == nil ? "that is recorded of it" : "of it that was looked at"
        if repeated > 0 { return "All \(which) has ended, but \(self.repeated(repeated))." }
        return "All \(which) has ended. Whether more of it waits cannot be told from the log."
    }

    /// That nobody has looked into the rejected queue, and why.
    static func unseen(_ look: RejectedGlance.Outcome?, _ reader: StoryReader) -> [String] {
        guard case .failure(let failure) = look else { return [] }
        let why = reader.isOperator ? ": \(failure)" : " at this moment"
        return [
            "The rejected queue was not looked into\(why). Whether a message of it was rejected is not known here."
        ]
    }

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

    /// What to do about rejected messages of a batch.
    static func next(ofRejected messages: [BatchStory.Rejected], _ reader: StoryReader) -> [String] {
        guard let first = messages.first else { return [] }
        let which = messages.count == 1 ? "it" : "the first of them"
        guard reader.isOperator else {
            return [
                "Correct what the reason names and publish it again, or ask the operator to send the rejected message \(first.id) "
                    + "again when the fault was not the message's."
            ]
        }
        let id = ShellWord.quoted(first.id)
        return [
            "See \(which): `waybill rejected show \(id)`.",
            "If the message is at fault, publish it again correctly, then `waybill rejected drop --id \(id)`. If the configuration "
                + "was, correct that, then `waybill rejected replay --id \(id)`.",
        ]
    }
}
