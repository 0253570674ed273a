/// How far publishing has come.
struct PublishReport {
    /// Messages that the broker has confirmed.
    var confirmed = 0
    /// How many of these are at the beginning, without a gap: another run can leave them out.
    var leading = 0
    /// Messages that were published and not confirmed: they may have arrived.
    var open = 0
    /// From the first publication to the last confirmation.
    var elapsed = Duration.zero
    /// Why not everything was published; `nil` if it was.
    var failure: (any Error)?
}
