import WaybillCore
import WaybillPushTransport

extension Disposition {
    /// What is to be done about a push that has no answer, and what that says of its lane.
    ///
    /// - Parameters:
    ///   - failure: why there is none.
    ///   - resendsUnknown: whether a repeat is wanted of what may have been taken.
    init(_ failure: PushFailure, resendsUnknown: Bool) {
        switch failure {
        case .notSent(let cause): self.init(notSent: cause)
        case .unknown(let cause):
            self.init(resendsUnknown ? .retryLater(.unanswered) : .final(.unknown, nil), lane: cause.signOfUnknown)
        }
    }

    private init(notSent cause: PushFailureCause) {
        switch cause {
        // Without a failed connection it has only waited for too long behind others.
        case .unreachable(nil, _): self.init(.retryLater(.notSent), lane: .starved(cause.description))
        case .unreachable, .credentials: self.init(.retryLater(.notSent), lane: .unreachable(cause.description))
        // A value that cannot be sent: the decoder's checks make it impossible, and waiting would not change it.
        case .invalid: self.init(.final(.invalid, nil))
        case .goAway, .refusedStream, .reset, .connectionLost:
            self.init(.retryLater(.notSent), lane: .starved(cause.description))
        case .expired, .parked, .cancelled, .closed, .timeout: self.init(.retryLater(.notSent))
        }
    }
}

extension PushFailureCause {
    /// What it says of a lane that a push which may have been taken has no answer.
    ///
    /// That the push went out once makes it no better that there is no connection for the next attempt.
    fileprivate var signOfUnknown: LaneSign {
        switch self {
        case .unreachable(nil, _): .starved(description)
        case .unreachable, .credentials: .unreachable(description)
        case .timeout: .unanswered(description)
        // Connections end every day, and with them what was under way; whoever comes next finds another one.
        case .connectionLost, .goAway, .refusedStream, .reset: .none
        case .expired, .parked, .cancelled, .closed, .invalid: .none
        }
    }
}
