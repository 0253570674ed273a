import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillProviders

/// What to do next, in words: each a sentence that stands alone.
enum StoryAdvice {
    /// What to do about one notification.
    static func next(
        of record: LoggedDelivery,
        verdict: TokenVerdict?,
        obstacles: [Obstacle] = [],
        openLanes: Set<String> = [],
        registry: [StoryStep],
        eventTaker: EventTaker = .unknown,
        reader: StoryReader = .operators
    ) -> [String] {
        let provider = ProviderName(ofRecord: record.provider)
        guard let outcome = Outcome(rawValue: record.outcome) else {
            return ["Ask the release of Waybill that wrote the record."]
        }
        let obstacles = obstacles.filter { $0.lane == nil || $0.lane == record.lane }
        var next =
            verdict == .suspect
            ? [suspectToken(of: record, provider)] : next(outcome, record, obstacles, openLanes, reader, provider)
        if let verdict, let event = self.next(ofEvent: verdict, registry: registry, taker: eventTaker, reader: reader) {
            next.append(event)
        }
        if let cause = RepeatCause(record), outcome != .cancelled { next.append(self.next(ofRepeat: cause, record)) }
        return next
    }

    private static func next(
        _ outcome: Outcome,
        _ record: LoggedDelivery,
        _ obstacles: [Obstacle],
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> [String] {
        switch outcome {
        case .accepted:
            (record.expiration == 0
                ? ["\(provider.title) does not store it (expiration 0): a device that was offline never gets it."] : [])
                + [
                    "\(provider.title) has it. Look at the device: is it on and connected, may the app notify, is a focus on, was the app removed since?"
                ]
        case .rejected:
            [
                record.reason.flatMap { provider.advice(recorded: record.outcome, reason: $0) }.map {
                    "\($0.capitalisedFirst)."
                }
                    ?? record.silence(of: provider.title).map { afterSilence($0, record, provider) }
                    ?? "Change what the reason names, and publish it again."
            ]
        case .tokenInvalid:
            ["Publish no more to this token; the app must register again, and tell its new one."]
        case .invalid: ["Correct what the reason names in the producer's message, and publish it again."]
        case .expired: slip(in: record).map { [$0] } ?? [afterExpiry(isPlural: false, reader)]
        case .unknown:
            [
                "Look at the network between Waybill and \(provider.title). Publish it again only if a second one does no harm."
            ]
        case .cancelled where record.isRepeat:
            [
                "It may have gone out before it was cancelled: publish it again, with a new timestamp, only if a second one does no harm."
            ]
        case .cancelled: ["Nothing. To send it after all, publish it again with a new timestamp."]
        case .deferred:
            afterDeferral(record, obstacles, openLanes, reader, provider)
        }
    }

    /// What was put off has its own reason first, and then what keeps its lane, or a process, from sending it when it comes back.
    private static func afterDeferral(
        _ record: LoggedDelivery,
        _ obstacles: [Obstacle],
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> [String] {
        let fault = record.reason.flatMap { laneFault(reason: $0, of: record.lane, openLanes, reader, provider) }
        if let reason = record.reason, let fault {
            // What the lane's own advice says is not said again.
            return [fault] + obstacles.filter { !$0.text.contains(word(in: reason)) }.remedies
        }
        let remedies = obstacles.remedies
        guard !remedies.isEmpty else {
            return [
                "Nothing yet: it is tried again by itself."
                    + (reader.isOperator ? " `waybill status` shows its lane and the delay queues." : "")
            ]
        }
        return [answered(record, provider)].compactMap(\.self) + remedies
    }

    /// What the push service has said of a push that was put off for it; `nil` where it has said nothing.
    private static func answered(_ record: LoggedDelivery, _ provider: ProviderName) -> String? {
        guard let status = record.statusCode, let reason = record.reason else { return nil }
        let advice = provider.advice(reason: reason).map { ": \($0)" } ?? ""
        return
            "\(provider.title) answered it \(status) \(reason)\(advice). For that there is nothing to do: it is tried again by itself."
    }

    /// What it means that a push may be a second one.
    private static func next(ofRepeat cause: RepeatCause, _ record: LoggedDelivery) -> String {
        switch cause {
        case .redelivery: "Its message came back once: the push may have gone out twice."
        case .failedOver(let status):
            "FCM answered \(status) to an attempt that it may have taken all the same: the push may "
                + (record.attempts > 1 ? "have gone out twice." : "go out a second time when it is tried again.")
        }
    }

    /// Seconds since 1970 that are no time at which anybody sends: 2001.
    private static let leastTime: Int64 = 1_000_000_000

    /// An expiration so long ago that its producer must have meant something else; `nil` for any other.
    private static func slip(in record: LoggedDelivery) -> String? {
        guard record.reason == Deadline.Cause.expiration.rawValue, let expiration = record.expiration,
            1..<leastTime ~= expiration
        else { return nil }
        let time = TimeText.text(milliseconds: expiration * 1000)
        return
            "Its expiration, \(expiration), is \(time), which must be a slip: it is a UNIX time in seconds, not a number of seconds from now. Correct the producer, and publish it again with a new timestamp."
    }

    private static func afterExpiry(isPlural: Bool, _ reader: StoryReader) -> String {
        let (it, them) = isPlural ? ("they", "them") : ("it", "it")
        return
            "If \(it) \(isPlural ? "are" : "is") still of use, publish \(them) again with a new timestamp, and with a later expiration or a greater max_age. What \(it) waited for shows in the attempts\(reader.isOperator ? ", and in `waybill status`" : "")."
    }

    /// The server's own trouble ends by itself; what is wrong with a request does not.
    private static func afterSilence(_ silence: String, _ record: LoggedDelivery, _ provider: ProviderName) -> String {
        (record.statusCode ?? 0) >= 500
            ? "\(silence): publish it again with a new timestamp when \(provider.title) is well again."
            : "\(silence): see what its documentation says of that status, and look at what is between Waybill and \(provider.title)."
    }

    /// The token may be good: what it was used with is to be looked at first.
    private static func suspectToken(of record: LoggedDelivery, _ provider: ProviderName) -> String {
        let lane = record.lane.map { "the lane \($0)" } ?? "its lane"
        let topic = record.topic.map { " (\($0))" } ?? ""
        if let reason = record.reason, provider.isTopicFault(reason: reason) {
            return
                "The token may be good, and the topic\(topic) wrong for it: compare the message's own `topic` with the app, and where it has none the bundle_id of \(lane). If it fits, publish no more to the token."
        }
        if provider == .fcm {
            return
                "The token may be good, and \(lane) wrong for it: compare the lane's project\(topic) with the app's google-services.json. If it fits, publish no more to it."
        }
        return
            "The token may be good, and \(lane) wrong for it: compare the lane's environment with the app's build, and the topic\(topic) with the app. If both fit, publish no more to it."
    }

    /// What is put off for a fault of its lane, which nobody but an operator ends, or has ended; `nil` for any other reason.
    private static func laneFault(
        reason: String,
        of lane: String?,
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> String? {
        let word = word(in: reason)
        guard provider.isLaneFault(reason: word) else { return nil }
        if let lane, openLanes.contains(lane) {
            return
                "Nothing yet: it was put off for \(word), and the lane \(lane) sends again. It comes back when its delay is over."
        }
        let advice = provider.advice(reason: word).map { ": \($0)" } ?? ""
        guard reader.isOperator else {
            let name = lane.map { "the lane \($0)" } ?? "its lane"
            return
                "\(word) does not end by itself: ask the operator to correct the configuration of \(name). Until then it is tried again every quarter of an hour or sooner."
        }
        return
            "\(word) does not end by itself\(advice). Correct it in the lane's configuration and reload the dispatcher. Until then it is tried again every quarter of an hour or sooner; `waybill lanes` shows the lane."
    }

    /// In front of the reason for which a lane was parked.
    private static let parked = "lane parked: "

    /// The provider's own word in a reason.
    private static func word(in reason: String) -> String {
        reason.hasPrefix(parked) ? String(reason.dropFirst(parked.count)) : reason
    }

    /// What to do about a batch.
    static func next(
        of story: BatchStory,
        openLanes: Set<String> = [],
        told: [Obstacle] = [],
        reader: StoryReader = .operators
    ) -> [String] {
        guard !story.groups.isEmpty else {
            // What was rejected, or cancelled, is found; what else it may be needs no guess.
            guard story.rejected.isEmpty else { return [] }
            // The name is right: it waits, or was rejected.
            return story.isPosted ? [reader.whereItMayBe[0]] : nothingFound(of: .batch(story.name), reader)
        }
        var next: [String] = []
        if let (outcome, reason, count, isAlone, example) = largestFailure(of: story) {
            let isMost = 2 * count > story.failures.reduce(0) { $0 + $1.count }
            let advice = ProviderName(ofWord: reason).advice(recorded: outcome, reason: reason)
            let share =
                isMost
                ? "Most failures"
                : isAlone ? "The largest group of failures" : "One of several groups of failures, none larger,"
            next.append("\(share) \(words(for: reason, outcome, isMost))\(advice.map { ": \($0)" } ?? "").")
            if outcome == Outcome.expired.rawValue { next.append(afterExpiry(isPlural: true, reader)) }
            if let example {
                next.append("One of them, told whole: \(reader.explaining(example)).")
            }
        }
        if let stopped = stopped(of: story) { next.append(stopped) }
        let faults = story.pending.filter { !isTold($0, by: told) }.map { group in
            group.reason.flatMap { reason in
                laneFault(
                    reason: reason,
                    of: group.lane,
                    openLanes,
                    reader,
                    ProviderName(ofWord: word(in: reason))
                )
            }
        }
        for fault in Set(faults.compactMap(\.self)).sorted() { next.append("What is deferred: \(fault)") }
        if faults.contains(nil) {
            next.append(
                "\(faults.contains { $0 != nil } ? "Whatever else" : "What") is deferred is tried again by itself\(reader.isOperator ? "; `waybill status` shows its lanes and the delay queues" : "")."
            )
        }
        next.append(
            "If there are fewer than were published, the others wait or were rejected: "
                + (reader.isOperator ? "`waybill status`, `waybill rejected`." : "ask the operator.")
        )
        return next
    }

    /// Whether what a lane's obstacle says to do is for the same cause as that for which a group was put off.
    private static func isTold(_ group: DeliveryGroup, by obstacles: [Obstacle]) -> Bool {
        guard let reason = group.reason else { return false }
        let word = word(in: reason)
        return obstacles.contains { $0.lane == group.lane && $0.remedy != nil && $0.text.contains(word) }
    }

    /// How many of a batch were cancelled, by whom, and what to do to send them after all; `nil` where none was.
    private static func stopped(of story: BatchStory) -> String? {
        let count = story.stopped.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        let reasons = Set(story.stopped.compactMap(\.reason)).sorted()
        let by = reasons.isEmpty ? "" : " \(reasons.prefix(mostReasons).joined(separator: " and "))"
        let (were, them) = count == 1 ? ("was", "it") : ("were", "them")
        return "\(count) \(were) cancelled\(by). To send \(them) after all, publish \(them) again with a new timestamp."
    }

    private static let mostReasons = 3

    /// The reason, or the outcome without one, that most failures of a batch share, whatever else tells them apart.
    private static func largestFailure(
        of story: BatchStory
    ) -> (outcome: String, reason: String, count: Int, isAlone: Bool, example: NotificationID?)? {
        let reasons = Dictionary(grouping: story.failures) { $0.reason ?? $0.outcome }
        let counts = reasons.map { (reason: $0.key, count: $0.value.reduce(0) { $0 + $1.count }) }
        guard let largest = counts.max(by: { ($0.count, $1.reason) < ($1.count, $0.reason) }),
            let groups = reasons[largest.reason], let first = groups.first
        else { return nil }
        let isAlone = counts.count { $0.count == largest.count } == 1
        return (first.outcome, largest.reason, largest.count, isAlone, groups.lazy.compactMap(\.examples.first).first)
    }

    /// A reason with its verb: the provider's words as they are, ours in a sentence.
    private static func words(for reason: String, _ outcome: String, _ isPlural: Bool) -> String {
        let verb = isPlural ? "are" : "is"
        let their = isPlural ? "their" : "its"
        return switch (Outcome(rawValue: outcome), reason) {
        case (.expired, Deadline.Cause.maxAge.rawValue):
            "\(verb) older than \(their) max_age, or than the time for which retries go on"
        case (.expired, Deadline.Cause.expiration.rawValue): "\(verb) past \(their) expiration"
        case (let known?, _) where known.rawValue == reason: "\(verb) \(reason), without a reason that is recorded"
        default: "\(verb) \(reason)"
        }
    }

    /// From this many hexadecimal digits on a batch's name may be a part of a token.
    private static let leastDigits = 16
    /// An apns-id with a few digits too few or too many.
    private static let digitsLikeAnID = 28...36

    /// What it can mean that nothing is recorded, and which command tells.
    static func nothingFound(of subject: InvestigationSubject, _ reader: StoryReader = .operators) -> [String] {
        var next = reader.whereItMayBe
        switch subject {
        case .token: next.insert("Is it the whole token, as the app told it? Nothing is found by its beginning.", at: 0)
        case .notification: next.insert("Is it the apns-id, digit by digit, as it was answered or logged?", at: 0)
        case .batch(let name):
            next.insert("Is it the batch_id, exactly as it was published? Capitals count.", at: 0)
            let digits = name.filter { $0 != "-" }
            if digitsLikeAnID.contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
                next[0] = "Is it an apns-id? One has 32 hexadecimal digits, and this has \(digits.count)."
            }
            if let digits = InvestigationSubject.token(name)?.count, digits >= leastDigits {
                next[0] =
                    "Is it a token? A token is looked for as a whole, and this one has \(digits) digits; a token of APNs has 64 or more."
            }
        }
        return next
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
