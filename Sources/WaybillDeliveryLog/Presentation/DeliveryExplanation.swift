package import WaybillCore

/// What a record means for the operator, in a sentence.
package enum DeliveryExplanation {
    /// The meaning of the outcome, and of the reason where there is more to say.
    package static func text(_ delivery: LoggedDelivery) -> String {
        guard let outcome = Outcome(rawValue: delivery.outcome) else {
            return "an outcome of another release of Waybill"
        }
        let meaning = meaning(of: outcome, delivery)
        guard let advice = delivery.reason.flatMap({ advice(reason: $0) }) else { return meaning }
        return "\(meaning); \(advice)"
    }

    /// What an outcome means beside the rest of its record.
    private static func meaning(of outcome: Outcome, _ delivery: LoggedDelivery) -> String {
        switch (outcome, delivery.reason) {
        case (.expired, Deadline.Cause.expiration.rawValue): "too late: its expiration had passed"
        case (.expired, Deadline.Cause.maxAge.rawValue):
            "too late: it was older than its max_age, or than the time for which retries go on"
        case (.rejected, _) where delivery.statusCode.map { $0 >= 429 } ?? false:
            "APNs took it in none of its attempts, and this is the last answer"
        case (.deferred, _) where wasSentWithoutAnswer(delivery):
            "not final: it was sent, no answer came, and it waits for another attempt"
        case (.deferred, _) where delivery.statusCode == nil: "not final: it was not sent this time, and waits"
        default: text(outcome)
        }
    }

    /// Whether the pass that ended with this record sent a push: it is the last one of the history, or the only one there
    /// has been, and then there is no history.
    private static func wasSentWithoutAnswer(_ delivery: LoggedDelivery) -> Bool {
        guard delivery.statusCode == nil else { return false }
        guard let last = delivery.history.last else { return delivery.attempts > 0 }
        return last.status == nil && last.date == delivery.date
    }

    /// The meaning of an outcome.
    package static func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .accepted: "APNs took it; it says nothing about the screen"
        case .rejected: "APNs refused it for good; the same request would be refused again"
        case .tokenInvalid: "APNs refused the device token; waybill prune has been told"
        case .invalid:
            "never sent: the item breaks a rule of APNs, of Waybill or of the configuration; the reason names it"
        case .expired: "too late: a limit of its own, or of the configuration, had passed"
        case .unknown: "sent, at least once without an answer; APNs may have taken it"
        case .deferred: "not final: it waits for another attempt"
        }
    }

    /// What to do about a reason, where APNs' word alone does not say.
    ///
    /// Source: Apple, "Handling notification responses from APNs".
    private static func advice(reason: String) -> String? {
        switch reason {
        case "Unregistered", "ExpiredToken":
            "the app was removed from the device, or the token was replaced: stop sending to it"
        case "BadDeviceToken":
            "mostly a sandbox token in production or the other way round: compare the lane's environment with the app's build"
        case "DeviceTokenNotForTopic":
            "the token belongs to another app: compare the topic with the app that registered it"
        case "TopicDisallowed", "BadTopic", "MissingTopic":
            "compare the lane's bundle_id with the app, and the key's rights with the topic"
        case "InvalidProviderToken", "MissingProviderToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            "the lane's team_id, key_id and key_file do not belong together, or not to this environment"
        case "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken":
            "the lane's credentials are out of date, or the clock is wrong"
        case "PayloadTooLarge": "4,096 bytes are the most that APNs takes, 5,120 for voip"
        case "TooManyRequests": "too many notifications in a row to this one device"
        default: nil
        }
    }
}
