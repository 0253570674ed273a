import WaybillCore

/// What has become of one item, on its way into the log.
struct ItemOutcome: Sendable {
    /// What else must be durable before the item is settled.
    enum NextStep: Sendable {
        case none
        case reportToken(TokenVerdict)
        /// Another dispatcher's record stands in the place of this outcome, and tells of a token.
        case publish(InvalidTokenEvent)
        /// Through this step's delay queue, as this pass over the item.
        case retryLater(step: Int, pass: Int)
    }

    let ticket: Ticket
    /// In the ticket's `batch.items`.
    let position: Int
    var outcome: Outcome
    var statusCode: Int?
    var reason: String?
    /// The 410 `timestamp`, in milliseconds since 1970.
    var invalidSince: Int64?
    /// Milliseconds since 1970.
    var date: Int64
    /// From request to answer, in nanoseconds.
    var latency: UInt64?
    /// Tries in this pass.
    var attempts = 0
    /// Earlier tries in this pass.
    var history: [AttemptRecord] = []
    var next = NextStep.none
    /// Another notification's record was met under the item's id.
    var isDisplaced = false
    /// How often the store has refused the record for what it holds.
    var refusals = 0
}
