import WaybillCore
import WaybillFCM
import WaybillPushTransport

extension FCMClassifier {
    /// What the end of an attempt means for an item of a batch.
    static func disposition(of outcome: FCMOutcome, in batch: Batch) -> Disposition {
        // Nothing else depends on the item, which is a large value.
        guard case .failed(.unknown) = outcome.result,
            case .valid(let notification) = batch.items[outcome.index].content
        else { return classify(outcome.result) }
        return classify(outcome.result, resendsUnknown: notification.onUnknown == .resend)
    }
}
