import WaybillCore
import WaybillDeliveryLog
import WaybillFleet

extension StoryAdvice {
    /// Whether a push service has answered, or is asked again later: whatever else was cancelled is no question.
    static func wasPushed(_ record: LoggedDelivery) -> Bool {
        guard let outcome = Outcome(rawValue: record.outcome) else { return false }
        return outcome != .cancelled && outcome != .expired && outcome != .invalid
    }

    /// That a notification of a cancelled batch was sent all the same, because of the time that its producer gave it.
    ///
    /// - Parameters:
    ///   - record: the notification's.
    ///   - cancellations: that hold, and that whoever asks may see.
    /// - Returns: `nil` where there is no order about it, it was sent before, or the order covers it.
    static func sentLater(_ record: LoggedDelivery, than cancellations: [Cancellation]) -> String? {
        guard wasPushed(record), let batch = record.batchID, let time = record.messageTime,
            let last = cancellations.filter({ $0.names(batch: batch, client: record.client) })
                .max(by: { $0.coversUntil < $1.coversUntil }),
            time > last.coversUntil, record.date >= last.source.date
        else { return nil }
        return
            "Its batch was cancelled by \(last.source.name) at \(SendingNow.time(last.source.date)); a message that says it "
            + "was published at \(SendingNow.time(time)), after that, was sent as a new batch of the same name. If it is "
            + "none, its producer's clock is ahead: cancel the batch once more, and say by how much (--ahead)."
    }
}
