import WaybillCore
import WaybillDeliveryLog

/// What has become of one item, on its way into the log.
package struct ItemOutcome: Sendable {
    /// What else must be durable before the item is settled.
    enum NextStep: Sendable {
        case none
        case reportToken(TokenVerdict)
        /// Another dispatcher's record stands in the place of this outcome, and tells of a token.
        ///
        /// Indirect: it is rare, and would make every outcome three times as large.
        indirect case publish(InvalidTokenEvent)
        /// Over a delay queue. Indirect, as above.
        indirect case retryLater(Retry)
    }

    /// A retry over a delay queue.
    struct Retry: Hashable, Sendable {
        /// The delay queue, by its position in the steps.
        var step: Int
        var pass: PlannedPass
        /// Why it waits; `nil` where an attempt of its own failed, which its history tells.
        var wait: LaneWait.Reason?
    }

    let message: InFlightMessage
    /// In the message's `batch.items`.
    let position: Int
    var outcome: Outcome
    var statusCode: Int?
    var reason: String?
    /// The provider's own name for what it took, where it gives one.
    var providerID: String?
    /// Since when the provider has known the token to be invalid, in milliseconds since 1970.
    var invalidSince: Int64?
    /// Milliseconds since 1970.
    var date: Int64
    /// From request to answer, in nanoseconds.
    var latency: UInt64?
    /// Pushes that were sent in this pass, answered or not.
    var attempts = 0
    /// Those of them that this value does not tell of itself, oldest first.
    var history: [AttemptRecord] = []
    /// Whether status, reason and date are those of the last push that was sent.
    var tellsOfLastAttempt = false
    var next = NextStep.none
    /// Another notification's record was met under the item's id.
    var isIDTaken = false
    /// How often the store has refused the record for what it holds.
    var refusals = 0

    /// Why it waits now, where that is for its lane.
    var wait: LaneWait.Reason? {
        retry?.wait
    }

    /// The retry that comes next; `nil` for a final outcome.
    var retry: Retry? {
        if case .retryLater(let retry) = next { retry } else { nil }
    }

    /// Every push of this pass, oldest first.
    var sent: [AttemptRecord] {
        tellsOfLastAttempt ? history + [AttemptRecord(date: date, status: statusCode, reason: reason)] : history
    }

    /// Makes it the end of the notification.
    ///
    /// - Parameters:
    ///   - cause: why there is no other attempt.
    ///   - earlier: what the log knew before this pass.
    mutating func end(_ cause: Ending.Cause, after earlier: RecordedDelivery?) {
        let sent = sent
        let ending = Ending(cause, attempts: (earlier?.sentAttempts ?? []) + sent)
        history = sent
        tellsOfLastAttempt = false
        outcome = ending.outcome
        statusCode = ending.statusCode
        reason = ending.reason
    }
}
