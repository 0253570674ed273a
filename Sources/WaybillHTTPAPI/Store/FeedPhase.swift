import WaybillMongo
import WaybillThreads

/// Whether the store hands a feed what is written there.
enum FeedPhase: Sendable {
    /// Nobody is there, or the first has just come.
    case idle
    case open
    /// The store does not answer, or does not let it be done.
    case away(MongoError)

    /// Waits until the store hands it out: what is written from then on is not missed.
    ///
    /// - Parameters:
    ///   - phase: what it is now.
    ///   - signals: come when it has changed; they end with the server.
    ///   - deadline: of the request.
    /// - Throws: ``Problem`` 503 where the store does not let it be done or the time is over, and where the server ends.
    static func awaitOpen(
        _ phase: () -> FeedPhase,
        _ signals: AsyncStream<Void>,
        until deadline: MonotonicTime
    ) async throws(Problem) {
        var signals = signals.makeAsyncIterator()
        while true {
            switch phase() {
            case .open: return
            case .away(let error) where error.code == .accessRefused: throw Problem(asking: error)
            case .away, .idle: break
            }
            guard MonotonicTime.now() < deadline else {
                throw .away("the store does not hand out what is written")
            }
            guard await signals.next() != nil else { throw .ending }
        }
    }
}
