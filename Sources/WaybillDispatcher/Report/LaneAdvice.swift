import WaybillCore
import WaybillProviders
import WaybillTelemetry

/// What an operator does about a lane that does not send.
enum LaneAdvice {
    /// Sentences; `nil` while the lane is open.
    static func text(_ lane: LaneStatus, provider: ProviderName) -> String? {
        switch lane.state {
        case .open: return nil
        case .paused, .draining:
            return
                "Open it again when the reason is gone (waybill lanes resume \(lane.name)). Its messages wait meanwhile."
        case .parked, .probing:
            let reason = lane.cause ?? ""
            if provider.isLaneFault(reason: reason) {
                let cause =
                    provider.advice(reason: reason) ?? "\(provider.title) refuses what the lane is configured with"
                return
                    "\(cause.prefix(1).uppercased())\(cause.dropFirst()). Correct that and reload the dispatcher. Until then it is tried again by itself, "
                    + "and its messages wait and lose no attempt."
            }
            if let advice = ConnectionAdvice.text(reason) {
                return "\(advice) Its messages wait and lose no attempt."
            }
            // A reason is one word, and what keeps a connection away a sentence.
            let isAnswer = reason.hasSuffix(", Retry-After") || !reason.isEmpty && !reason.contains(" ")
            let cause =
                isAnswer
                ? "\(provider.title) itself asks for that: nothing is to be done here, unless it lasts for hours."
                : "If it stays so, look at the network between here and \(provider.title)."
            return "It is tried again by itself, with one message. \(cause) Its messages wait and lose no attempt."
        }
    }
}
