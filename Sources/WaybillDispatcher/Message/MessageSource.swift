import WaybillAMQP
import WaybillMessages

/// Where a delivery came from.
package struct MessageSource: Equatable {
    let queue: String
    /// Whether what comes from there lets others go first.
    let isBulk: Bool
    /// Whether only Waybill writes to the queue, so that `x-waybill-` headers count.
    let isRetry: Bool

    package init(queue: String, isRetry: Bool, isBulk: Bool = false) {
        self.queue = queue
        self.isRetry = isRetry
        self.isBulk = isBulk
    }

    /// Whether a delivery from there lets others go first: a retry does as its message did.
    func isBulk(_ delivery: AMQPDelivery) -> Bool {
        isBulk || isRetry && RetryMessage.isBulk(delivery.properties)
    }
}
