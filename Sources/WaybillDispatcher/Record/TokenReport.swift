import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

/// Makes the invalid-token event of an item.
enum TokenReport {
    /// The event of an outcome that has just been recorded.
    static func makeEvent(for item: ItemOutcome, verdict: TokenVerdict, lanes: [Lane]) -> InvalidTokenEvent? {
        guard case .valid(let notification) = item.message.batch.items[item.position].content else { return nil }
        return makeEvent(
            notification,
            batch: item.message.batch,
            lanes: lanes,
            verdict: verdict,
            reason: item.reason,
            statusCode: item.statusCode,
            invalidSince: item.invalidSince,
            observedAt: item.date
        )
    }

    /// The event of an item whose record was found after a redelivery: the first one may never have been published.
    static func makeEvent(
        for notification: Notification,
        recorded: RecordedDelivery,
        batch: Batch,
        lanes: [Lane]
    ) -> InvalidTokenEvent? {
        let provider = lanes[batch.lane].provider.name
        guard let verdict = provider.tokenVerdict(recorded: recorded.outcome, statusCode: recorded.statusCode) else {
            return nil
        }
        return makeEvent(
            notification,
            batch: batch,
            lanes: lanes,
            verdict: verdict,
            reason: recorded.reason,
            statusCode: recorded.statusCode,
            invalidSince: recorded.invalidSince,
            observedAt: recorded.date
        )
    }

    private static func makeEvent(
        _ notification: Notification,
        batch: Batch,
        lanes: [Lane],
        verdict: TokenVerdict,
        reason: String?,
        statusCode: Int?,
        invalidSince: Int64?,
        observedAt: Int64
    ) -> InvalidTokenEvent {
        InvalidTokenEvent(
            provider: lanes[batch.lane].provider.name.recorded,
            deviceToken: String(decoding: notification.deviceToken, as: UTF8.self),
            reason: reason ?? "",
            statusCode: statusCode ?? 0,
            invalidSince: invalidSince,
            observedAt: observedAt,
            notificationID: notification.id,
            batchID: batch.id,
            client: batch.client,
            lane: lanes[batch.lane].name,
            topic: notification.topic ?? "",
            environment: lanes[batch.lane].environment,
            verdict: verdict
        )
    }
}
