import WaybillCore
import WaybillPushTransport

extension PushFailureCause {
    /// What it says of a lane that a push which may have been taken has no answer.
    ///
    /// That the push went out once makes it no better that there is no connection for the next attempt.
    var signOfUnknown: LaneSign {
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
