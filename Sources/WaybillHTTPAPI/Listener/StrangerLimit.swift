import WaybillThreads

/// Who asks without a good key keeps a connection no longer than others can spare it.
///
/// A stranger's answer ends the connection where more than a half of all are open, or where those of the address ask too often.
/// So connections that ask for nothing in particular, again and again, keep nobody out who has a key.
final class StrangerLimit: Sendable {
    private let waiting: WaitingConnections
    private let buckets = Guarded(TokenBuckets())

    init(_ waiting: WaitingConnections) {
        self.waiting = waiting
    }

    /// Counts an answer to a stranger.
    ///
    /// - Parameter context: the request's.
    /// - Returns: whether the connection ends with it.
    func endsConnection(_ context: APIContext) -> Bool {
        let isGranted = buckets.withLock { $0.take(context.neighbourhood, now: .now()).isGranted }
        return !isGranted || waiting.isCrowded
    }
}
