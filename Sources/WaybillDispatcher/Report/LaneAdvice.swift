import WaybillCore
import WaybillProviders
import WaybillPushTransport
import WaybillTelemetry

/// What an operator does about a lane that does not send.
enum LaneAdvice {
    /// Says it.
    ///
    /// - Parameters:
    ///   - lane: as it is shown.
    ///   - provider: the lane's.
    ///   - obstacle: what its last attempts to connect, or to get a token, have come to.
    /// - Returns: sentences; `nil` while the lane is open.
    static func text(_ lane: LaneStatus, provider: ProviderName, obstacle: PushObstacle.Kind?) -> String? {
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
            // A reason is one word, and what keeps a connection away a sentence.
            let isAnswer = reason.hasSuffix(", Retry-After") || !reason.isEmpty && !reason.contains(" ")
            if !isAnswer, let advice = obstacle.flatMap(ObstacleAdvice.text) {
                return "\(advice) Its messages wait and lose no attempt."
            }
            let cause =
                isAnswer
                ? "\(provider.title) itself asks for that: nothing is to be done here, unless it lasts for hours."
                : "If it stays so, look at the network between here and \(provider.title)."
            return "It is tried again by itself, with one message. \(cause) Its messages wait and lose no attempt."
        }
    }
}
