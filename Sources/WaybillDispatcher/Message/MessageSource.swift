/// Where a delivery came from.
package struct MessageSource: Equatable {
    let queue: String
    /// Whether only Waybill writes to the queue, so that `x-waybill-` headers count.
    let isRetry: Bool

    package init(queue: String, isRetry: Bool) {
        self.queue = queue
        self.isRetry = isRetry
    }
}
