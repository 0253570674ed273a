/// An event that is to be told to one endpoint.
///
/// Times are milliseconds since 1970.
package struct WebhookDelivery: Hashable, Sendable {
    package enum State: String, Sendable {
        case waiting
        case delivered
        /// Not tried again by itself.
        case failed
    }

    /// The event's and the endpoint's.
    package let id: String
    package let event: String
    package let endpoint: String
    package let type: String
    package let body: [UInt8]
    package let state: State
    package let createdAt: Int64
    /// When it is tried next; `nil`: not by itself.
    package let due: Int64?
    /// How many attempts were noted since it was put in, or back in.
    package let attempts: Int
    /// The last attempts, the latest last.
    package let log: [WebhookAttempt]
    /// The beginning of what the last refusal said.
    package let answer: String?
}

/// What came of an attempt.
package struct WebhookAttempt: Hashable, Sendable {
    /// When it ended, in milliseconds since 1970.
    package let at: Int64
    package let milliseconds: Int
    /// `nil` without an answer.
    package let status: Int?
    /// Why there was none.
    package let error: String?

    package init(at: Int64, milliseconds: Int, status: Int?, error: String?) {
        self.at = at
        self.milliseconds = milliseconds
        self.status = status
        self.error = error
    }
}

/// What is written down of an attempt.
package struct WebhookNote: Hashable, Sendable {
    /// The delivery's id.
    package let delivery: String
    package let attempt: WebhookAttempt
    package let state: WebhookDelivery.State
    /// When it is tried again; `nil` where it is not.
    package let due: Int64?
    /// The beginning of what was answered, where that was a refusal.
    package let answer: String?

    package init(
        delivery: String,
        attempt: WebhookAttempt,
        state: WebhookDelivery.State,
        due: Int64? = nil,
        answer: String? = nil
    ) {
        self.delivery = delivery
        self.attempt = attempt
        self.state = state
        self.due = due
        self.answer = answer
    }
}
