import WaybillCore
import WaybillPushTransport

extension SendEnd {
    /// The end of a push that has no answer, as the client of any provider reports it.
    ///
    /// - Parameters:
    ///   - failure: why there is none.
    ///   - disposition: what is to be done.
    ///   - duration: how long the answer was waited for, in nanoseconds.
    ///   - attempts: pushes that were sent.
    ///   - waits: as ``SendEnd/waits``.
    ///   - history: the pushes before the last one.
    init(
        _ failure: PushFailure,
        _ disposition: Disposition,
        duration: UInt64,
        attempts: Int,
        waits: Int = 0,
        history: [AttemptRecord]
    ) {
        switch failure {
        case .notSent(let cause):
            self.init(
                cause == .parked ? .withdrawn : .notSent,
                disposition,
                reason: cause.description,
                attempts: attempts,
                waits: waits,
                history: history
            )
        case .unknown(let cause):
            self.init(
                .unanswered,
                disposition,
                reason: cause.word,
                duration: duration,
                attempts: attempts,
                waits: waits,
                history: history
            )
        }
    }
}
