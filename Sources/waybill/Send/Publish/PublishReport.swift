import WaybillAMQP

/// How far publishing has come.
struct PublishReport {
    /// Messages that the broker has confirmed.
    var confirmed = 0
    /// How many of these are at the beginning, without a gap: another run can leave them out.
    var leading = 0
    /// Messages that were published and not confirmed.
    var open = 0
    /// Of these, how many may be in a queue all the same: none where the exchange, or the queue, is not there.
    var mayHaveArrived: Int {
        let isNowhere =
            (failure as? AMQPError)?.code == .notFound || (failure as? CommandFailure)?.status == .configuration
        return isNowhere ? 0 : open
    }
    /// From the first publication to the last confirmation.
    var elapsed = Duration.zero
    /// Why not everything was published; `nil` if it was.
    var failure: (any Error)?
}
