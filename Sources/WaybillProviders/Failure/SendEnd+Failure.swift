import WaybillCore
import WaybillPushTransport

extension SendEnd {
    /// The end of a push that has no answer, as the client of any provider reports it.
    init(_ failure: PushFailure, _ disposition: Disposition, attempts: Int, waits: Int = 0, history: [AttemptRecord]) {
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
            self.init(.unanswered, disposition, reason: cause.word, attempts: attempts, waits: waits, history: history)
        }
    }
}
