import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet

extension StoryAdvice {
    /// Whether a push service has answered, or is asked again later: whatever else was cancelled is no question.
    static func wasPushed(_ record: LoggedDelivery) -> Bool {
        guard let outcome = Outcome(rawValue: record.outcome) else { return false }
        return ![.cancelled, .superseded, .expired, .invalid].contains(outcome)
    }

    /// That a notification of a cancelled batch was sent all the same, because of the time that its producer gave it.
    ///
    /// The messages of an audience have their time from fan-out: a clock is to blame there only where the audience's own message had a
    /// time that had not come when fan-out took it.
    ///
    /// - Parameters:
    ///   - record: the notification's.
    ///   - cancellations: that hold, and that whoever asks may see.
    ///   - audiences: of the batch's name.
    /// - Returns: `nil` where there is no order about it, it was sent before, or the order covers it.
    static func sentLater(
        _ record: LoggedDelivery,
        than cancellations: [Cancellation],
        _ audiences: [AudienceRecord] = []
    ) -> String? {
        guard wasPushed(record), let batch = record.batchID, let time = record.messageTime,
            let last = cancellations.filter({ $0.names(batch: batch, client: record.client) })
                .max(by: { $0.coversUntil < $1.coversUntil }),
            time > last.coversUntil, record.date >= last.source.date
        else { return nil }
        let order = "Its batch was cancelled by \(last.source.name) at \(SendingNow.time(last.source.date));"
        if let audience = audiences.first(where: { record.client.isExactly($0.client) }) {
            return "\(order) \(sentLater(audience, than: last))"
        }
        return
            "\(order) a message that says it "
            + "was published at \(SendingNow.time(time)), after that, was sent as a new batch of the same name. If it is "
            + "none, its producer's clock is ahead: cancel the batch once more, and say by how much (--ahead)."
    }

    /// What is said of an audience behind the order that is about its name.
    private static func sentLater(_ audience: AudienceRecord, than order: Cancellation) -> String {
        let time = audience.time.milliseconds
        guard time > order.coversUntil else {
            return
                "the audience of this name was published before, and what fan-out handed over after that was sent all the same."
        }
        let sent =
            "the audience of this name was published at \(SendingNow.time(time)), after that, and was sent as a new one."
        let lead = (audience.publishedAt ?? time) - audience.createdAt
        guard lead > mostSkew else { return sent }
        return
            sent
            + " Its message says \(lead / 1000) s more than the time at which fan-out took it: its producer's clock is "
            + "ahead. If it is no new one, cancel it once more with --ahead."
    }

    /// Timestamps of whole seconds, and clocks that agree as well as clocks do, are no news.
    private static let mostSkew: Int64 = 2000
}
