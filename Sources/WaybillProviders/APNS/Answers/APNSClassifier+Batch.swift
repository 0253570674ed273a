import WaybillAPNS
import WaybillCore

extension APNSClassifier {
    /// What the end of an attempt means for an item of a batch.
    ///
    /// - Parameters:
    ///   - outcome: the end of the attempt.
    ///   - batch: the one that the notification is of.
    ///   - lane: the batch's.
    /// - Returns: the end of the item, or why to try again later.
    static func disposition(of outcome: APNSOutcome, in batch: Batch, lane: APNSLane) -> Disposition {
        // What nearly every push meets; an item is a large value, and is not looked at for that.
        if case .answered(let answer) = outcome.result, answer.status == 200 { return classify(outcome.result) }
        guard case .valid(let notification) = batch.items[outcome.index].content else {
            return classify(outcome.result)
        }
        // Only a refusal can be about a topic; the comparison is not for the common case.
        guard case .answered(let answer) = outcome.result, 400..<430 ~= answer.status else {
            return classify(outcome.result, resendsUnknown: notification.onUnknown == .resend)
        }
        return classify(outcome.result, topic: lane.topicOrigin(of: notification))
    }
}
