import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

/// What to do next, in words: each a sentence that stands alone.
package enum StoryAdvice {
    /// What to do about one notification.
    static func next(
        of record: LoggedDelivery,
        verdict: TokenVerdict?,
        registry: [StoryStep],
        provider: ProviderName
    ) -> [String] {
        guard let outcome = Outcome(rawValue: record.outcome) else {
            return ["Ask the release of Waybill that wrote the record."]
        }
        var next = next(outcome, record, provider)
        if verdict == .dead, registry.contains(where: { $0.text.hasPrefix("enabled") }) {
            next.append(
                "The registry still has the token enabled: see with `waybill status` whether waybill prune runs, unless the app has registered it again since."
            )
        }
        if record.isRepeat { next.append("Its message came back once: the push may have gone out twice.") }
        return next
    }

    private static func next(_ outcome: Outcome, _ record: LoggedDelivery, _ provider: ProviderName) -> [String] {
        switch outcome {
        case .accepted:
            [
                "\(provider.title) has it. Look at the device: is it on and connected, may the app notify, is a focus on, was the app removed since?"
            ]
        case .rejected:
            [
                record.reason.flatMap { provider.advice(reason: $0) }.map { "\($0.capitalisedFirst)." }
                    ?? "Change what the reason names, and publish it again."
            ]
        case .tokenInvalid:
            ["Publish no more to this token; the app must register again, and tell its new one."]
        case .invalid: ["Correct what the reason names in the producer's message, and publish it again."]
        case .expired:
            [
                "If it is still of use, publish it again with a later expiration or a greater max_age. What it waited for shows in the attempts, and in `waybill status`."
            ]
        case .unknown:
            [
                "Look at the network between Waybill and \(provider.title). Publish it again only if a second one does no harm."
            ]
        case .cancelled: ["Nothing. To send it after all, publish it again."]
        case .deferred:
            ["Nothing yet: it is tried again by itself. `waybill status` shows its lane and the delay queues."]
        }
    }

    /// What to do about a batch.
    static func next(of story: BatchStory, provider: ProviderName) -> [String] {
        guard !story.groups.isEmpty else { return nothingFound(of: .batch(story.name)) }
        var next: [String] = []
        if let (reason, count, example) = largestFailure(of: story) {
            let isMost = 2 * count > story.failures.reduce(0) { $0 + $1.count }
            let advice = provider.advice(reason: reason)
            next.append(
                "\(isMost ? "Most failures are" : "The largest group of failures is") \(reason)\(advice.map { ": \($0)" } ?? "")."
            )
            if let example {
                next.append("One of them, told whole: `waybill explain \(example)`.")
            }
        }
        if !story.pending.isEmpty {
            next.append(
                "What is deferred is tried again by itself; `waybill status` shows its lanes and the delay queues."
            )
        }
        next.append(
            "If there are fewer than were published, the others wait or were rejected: `waybill status`, `waybill rejected`."
        )
        return next
    }

    /// The reason, or the outcome without one, that most failures of a batch share, whatever else tells them apart.
    private static func largestFailure(of story: BatchStory) -> (reason: String, count: Int, example: NotificationID?)?
    {
        let reasons = Dictionary(grouping: story.failures) { $0.reason ?? $0.outcome }
        let counts = reasons.map { (reason: $0.key, count: $0.value.reduce(0) { $0 + $1.count }) }
        guard let largest = counts.max(by: { ($0.count, $1.reason) < ($1.count, $0.reason) }) else { return nil }
        return (largest.reason, largest.count, reasons[largest.reason]?.lazy.compactMap(\.examples.first).first)
    }

    /// The event that a verdict led to.
    static func event(_ verdict: TokenVerdict) -> String {
        switch verdict {
        case .dead: "dead token: an event was due in waybill.invalid-tokens"
        case .suspect: "suspect token: an event was due in waybill.invalid-tokens"
        }
    }

    /// What it can mean that nothing is recorded, and which command tells.
    package static func nothingFound(of subject: InvestigationSubject) -> [String] {
        var next = [
            "Not consumed yet? `waybill status` shows what waits, and whether a dispatcher runs.",
            "Not readable, or not allowed? `waybill rejected` lists such messages with the reason.",
            "Too long ago? Records end with their retention: `retention` in the configuration.",
            "Another installation, or never published? Compare broker and store: `waybill check`.",
        ]
        switch subject {
        case .token: next.insert("Is it the whole token, as the app told it? Nothing is found by its beginning.", at: 0)
        case .notification: break
        case .batch: next.insert("Is it the batch_id, exactly as it was published? Capitals count.", at: 0)
        }
        return next
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
