package import WaybillCore
import WaybillMongo

/// What the log holds of an id when its message comes again.
package struct RecordedDelivery: Hashable, Sendable {
    package var outcome: Outcome
    package var attempts: Int
    package var statusCode: Int?
    package var reason: String?
    /// Milliseconds since 1970.
    package var date: Int64
    /// Milliseconds since 1970.
    package var invalidSince: Int64?
    package var topic: String?
    /// As the log holds it: the token, or its digest.
    package var deviceToken: String?
    /// As the log holds it, where the producer gave the id.
    package var fingerprint: String?
    package var history: [AttemptRecord]
    /// An earlier pass may have sent the push twice.
    package var isRepeat: Bool
    /// As ``LoggedDelivery/latencyMilliseconds``.
    package var latency: Double?
    /// The pass that it waits for; `nil` for a final record, and for a deferred one of 0.2.0.
    package var next: PlannedPass?

    package init(
        outcome: Outcome,
        attempts: Int,
        statusCode: Int? = nil,
        reason: String? = nil,
        date: Int64,
        invalidSince: Int64? = nil,
        topic: String? = nil,
        deviceToken: String? = nil,
        fingerprint: String? = nil,
        history: [AttemptRecord] = [],
        isRepeat: Bool = false,
        latency: Double? = nil,
        next: PlannedPass? = nil
    ) {
        self.outcome = outcome
        self.attempts = attempts
        self.statusCode = statusCode
        self.reason = reason
        self.date = date
        self.invalidSince = invalidSince
        self.topic = topic
        self.deviceToken = deviceToken
        self.fingerprint = fingerprint
        self.history = history
        self.isRepeat = isRepeat
        self.latency = latency
        self.next = next
    }

    init(_ delivery: LoggedDelivery) {
        self.init(
            // The word of a newer release is final for this one: only a deferred notification may be sent again.
            outcome: Outcome(rawValue: delivery.outcome) ?? .unknown,
            attempts: delivery.attempts,
            statusCode: delivery.statusCode,
            reason: delivery.reason,
            date: delivery.date,
            invalidSince: delivery.invalidSince,
            topic: delivery.topic,
            deviceToken: delivery.deviceToken,
            fingerprint: delivery.fingerprint,
            history: delivery.history,
            isRepeat: delivery.isRepeat,
            latency: delivery.latencyMilliseconds,
            next: delivery.next
        )
    }

    /// Every push that the record tells of, oldest first.
    package var sentAttempts: [AttemptRecord] {
        guard history.isEmpty else { return history }
        return attempts == 0
            ? [] : [AttemptRecord(date: date, status: statusCode, reason: reason, latency: latency)]
    }

    /// When its first push was sent, in milliseconds since 1970; `nil` where none was.
    package var firstPush: Int64? { attempts == 0 ? nil : sentAttempts.first?.sentAt }
}
