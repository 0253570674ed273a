package import WaybillCore

/// What a record means for the operator, in a sentence.
package enum DeliveryExplanation {
    /// The least status of an answer that is a refusal.
    package static let leastRefusal = 400

    /// The meaning of the outcome, and of the reason where there is more to say.
    ///
    /// - Parameters:
    ///   - delivery: the record.
    ///   - provider: what people call the push service that it is of.
    ///   - advice: what to do about the record's reason, as far as the provider's word does not say it.
    /// - Returns: one line.
    package static func text(_ delivery: LoggedDelivery, provider: String, advice: String?) -> String {
        guard let outcome = Outcome(rawValue: delivery.outcome) else {
            return "an outcome of another release of Waybill"
        }
        let meaning = meaning(of: outcome, delivery, provider: provider)
        if let silence = delivery.silence(of: provider) { return "\(meaning); \(silence)" }
        guard let advice else { return meaning }
        return "\(meaning); \(advice)"
    }

    /// What an outcome means beside the rest of its record.
    private static func meaning(of outcome: Outcome, _ delivery: LoggedDelivery, provider: String) -> String {
        switch (outcome, delivery.reason) {
        case (.expired, Deadline.Cause.expiration.rawValue):
            switch delivery.expirationFrom {
            case .message?, nil: "too late: its expiration had passed"
            case .lane?: "too late: the expiration that its lane sets had passed"
            case .default?: "too late: the default expiration had passed"
            }
        case (.expired, Deadline.Cause.maxAge.rawValue): tooOld(delivery)
        case (.rejected, _) where delivery.statusCode.map { $0 >= 429 } ?? false:
            "\(provider) took it in none of its attempts, and this is the last answer"
        case (.cancelled, _) where RepeatCause(delivery) == .redelivery:
            "an operator cancelled its batch, and the reason says who; its message had been with a dispatcher that ended without a word, which may have sent it"
        case (.cancelled, _) where delivery.attempts > 0:
            "sent before, and not again: an operator cancelled its batch while it waited for another attempt; the reason says who"
        case (.superseded, _) where delivery.attempts > 0:
            "refused before, and not sent again: a newer notification with the same collapse id was accepted; the reason has its id"
        case (.deferred, _) where wasSentWithoutAnswer(delivery):
            "not final: it was sent, no answer came, and it waits for another attempt"
        case (.deferred, _) where delivery.statusCode == nil: "not final: it was not sent this time, and waits"
        default: text(outcome, provider: provider)
        }
    }

    /// Which limit of age had passed, as far as the record tells: two have one name.
    private static func tooOld(_ delivery: LoggedDelivery) -> String {
        guard let maxAge = delivery.maxAge else { return "too late: the time for which retries go on had passed" }
        let (limit, isTooLarge) = Int64(maxAge).multipliedReportingOverflow(by: 1000)
        let age = delivery.messageTime.map { delivery.date - $0 } ?? delivery.queuedMilliseconds
        guard !isTooLarge, let age, age >= limit else {
            return
                "too late: another attempt would have been past its max_age, or past the time for which retries go on"
        }
        return "too late: it was older than its max_age"
    }

    /// Whether the pass that ended with this record sent a push: it is the last one of the history, or the only one there
    /// has been, and then there is no history.
    private static func wasSentWithoutAnswer(_ delivery: LoggedDelivery) -> Bool {
        guard delivery.statusCode == nil else { return false }
        guard let last = delivery.history.last else { return delivery.attempts > 0 }
        return last.status == nil && last.date == delivery.date
    }

    /// The meaning of an outcome.
    ///
    /// - Parameters:
    ///   - outcome: what became of a notification.
    ///   - provider: what people call the push service that it was for.
    /// - Returns: one line.
    package static func text(_ outcome: Outcome, provider: String) -> String {
        switch outcome {
        case .accepted: "\(provider) took it; it says nothing about the screen"
        case .rejected: "\(provider) refused it for good; the same request would be refused again"
        case .tokenInvalid: "\(provider) refused the device token; an invalid-token event tells of it"
        case .invalid:
            "never sent: the item breaks a rule of \(provider), of Waybill or of the configuration; the reason names it"
        case .expired: "too late: a limit of its own, or of the configuration, had passed"
        case .unknown: "sent, at least once without an answer; \(provider) may have taken it"
        case .cancelled: "not sent: an operator cancelled its batch; the reason says who"
        case .superseded:
            "not sent: a newer notification with the same collapse id was accepted; the reason has its id"
        case .deferred: "not final: it waits for another attempt"
        }
    }
}

extension LoggedDelivery {
    /// What there is in place of a reason, where a refusal came without one, as from a server in trouble, or a proxy in between.
    ///
    /// - Parameter provider: what people call the push service that it is of.
    /// - Returns: part of a sentence; `nil` for a record with a reason, and for one that is no refusal.
    package func silence(of provider: String) -> String? {
        guard reason == nil, let statusCode, statusCode >= DeliveryExplanation.leastRefusal else { return nil }
        return "\(provider) gave no reason (status \(statusCode))"
    }
}
