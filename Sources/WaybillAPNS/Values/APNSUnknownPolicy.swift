/// What to do when a notification was sent and the connection ended before its answer: nobody knows whether APNs took it.
public enum APNSUnknownPolicy: Hashable, Sendable {
    /// Report it, with ``APNSError/Fate/unknown``, and send nothing again. The default: nobody sees a notification twice.
    case report
    /// Send it once more. It may be shown twice, unless a collapse id makes the second one replace the first.
    case resend
}
