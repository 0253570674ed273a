/// Where a delivery came from.
struct MessageSource: Equatable {
    let queue: String
    /// Whether only Waybill writes to the queue, so that `x-waybill-` headers count.
    let isRetry: Bool
}
