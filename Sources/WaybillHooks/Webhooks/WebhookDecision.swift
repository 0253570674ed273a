import WaybillOutbox
import WaybillTransfer

/// What becomes of an event after an attempt to tell it.
enum WebhookDecision: Hashable {
    case delivered
    /// Milliseconds from now; and for how long nothing else goes to the endpoint.
    case later(pause: Int64, rest: Int64)
    case giveUp
    /// The endpoint wants nothing any more; the event waits until somebody enables it.
    case disable(reason: String, pause: Int64)

    /// How long an endpoint may fail before it is disabled; milliseconds.
    static let patience: Int64 = 5 * 86_400_000
    private static let longestRest: Int64 = 86_400_000
    /// Where the answer says that there is too much, and not for how long.
    private static let usualRest: Int64 = 5000

    /// - Parameters:
    ///   - answer: `nil` without one.
    ///   - attempt: which one it was, from 1.
    ///   - failing: for how long nothing has succeeded, in milliseconds.
    ///   - generator: spreads the pause.
    /// - Returns: what becomes of the event.
    static func after(
        _ answer: WebhookAnswer?,
        attempt: Int,
        failing: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> WebhookDecision {
        if let status = answer?.status, (200..<300).contains(status) { return .delivered }
        let step = RetrySteps.pause(after: attempt, using: &generator)
        if answer?.status == 410 { return .disable(reason: "it has answered 410 Gone", pause: step ?? 0) }
        if failing > patience { return .disable(reason: "nothing has succeeded for five days", pause: step ?? 0) }
        guard let step else { return .giveUp }
        guard let answer, [429, 502, 503, 504].contains(answer.status) else { return .later(pause: step, rest: 0) }
        let asked = answer.retryAfter.map { min(max(Int64($0) * 1000, 1000), longestRest) } ?? usualRest
        return .later(pause: max(step, asked), rest: asked)
    }
}
