import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

extension StoryAdvice {
    /// What to do about a batch.
    static func next(
        of story: BatchStory,
        openLanes: Set<String> = [],
        told: [Obstacle] = [],
        fuses: FuseFindings = FuseFindings(),
        storms: TokenStorms = TokenStorms(),
        reader: StoryReader = .operators
    ) -> [String] {
        guard !story.groups.isEmpty else {
            // What was rejected, or cancelled, is found; what else it may be needs no guess.
            guard story.rejected.isEmpty else { return [] }
            // The name is right: it waits, or was rejected.
            return story.isPosted ? [reader.whereItMayBe[0]] : nothingFound(of: .batch(story.name), reader)
        }
        var next: [String] = []
        if let (groups, reason, count, isAlone) = largestFailure(of: story), let outcome = groups.first?.outcome {
            let fate = groups.lazy.compactMap(fuses.fate).first { $0.isDoubt }
            let doubt = fate == nil ? self.doubt(of: groups, storms, fuses) : nil
            let isMost = 2 * count > story.failures.reduce(0) { $0 + $1.count }
            let provider = ProviderName(ofRecord: groups.first?.provider)
            // What a fuse of prune or a storm puts in doubt, or a person has called wrong, makes no token dead.
            let advice =
                fate == nil && doubt == nil
                ? ProviderName(ofWord: reason).advice(recorded: outcome, reason: reason) : nil
            let share =
                isMost
                ? "Most failures"
                : isAlone ? "The largest group of failures" : "One of several groups of failures, none larger,"
            next.append("\(share) \(words(for: reason, outcome, isMost))\(advice.map { ": \($0)" } ?? "").")
            if let detail = groups.lazy.compactMap(\.detail).first {
                next.append("\(provider.title) says of one of them: \(detail)\(detail.hasSuffix(".") ? "" : ".")")
            }
            if let doubt { next += self.next(of: doubt, reader, isPlural: true) }
            if let fate { next += self.next(ofFuse: fate, provider, reader, isPlural: true) }
            if outcome == Outcome.expired.rawValue {
                let slip = groups.lazy.compactMap {
                    self.slip(reason: $0.reason, $0.expiration, $0.expirationFrom, isPlural: true)
                }
                next.append(slip.first ?? afterExpiry(isPlural: true, reader))
            }
            if let example = groups.lazy.compactMap(\.examples.first).first {
                next.append("One of them, told whole: \(reader.explaining(example)).")
            }
        }
        if let stopped = stopped(of: story) { next.append(stopped) }
        if let superseded = superseded(of: story) { next.append(superseded) }
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

    /// What puts groups of dead tokens in doubt about which no person has decided; `nil` where nothing does.
    private static func doubt(
        of groups: [DeliveryGroup],
        _ storms: TokenStorms,
        _ fuses: FuseFindings
    ) -> TokenStorms.Doubt? {
        groups.lazy.filter { $0.outcome == Outcome.tokenInvalid.rawValue && fuses.released($0) == nil }
            .compactMap { storms.doubt(lane: $0.lane, last: $0.last) }.first
    }

    /// What to do about tokens that were called dead or wrong in a storm, or may have been.
    ///
    /// - Parameters:
    ///   - doubt: why they may live.
    ///   - reader: who is told.
    ///   - isPlural: whether it is about several.
    /// - Returns: in place of what to do about dead tokens.
    static func next(of doubt: TokenStorms.Doubt, _ reader: StoryReader, isPlural: Bool = false) -> [String] {
        let subject = isPlural ? "Whether the tokens are dead is in doubt" : "Whether the token is dead is in doubt"
        let patience = isPlural ? "Strike none off a list yet." : "Do not strike it off a list yet."
        switch doubt {
        case .storm(let advice):
            let cause = "\(subject): many died at once on \(isPlural ? "their" : "its") lane. \(patience)"
            guard reader.isOperator else { return [cause, "Ask the operator what is wrong."] }
            return [cause, advice].filter { !$0.isEmpty }
        case .uncounted:
            let counting = reader.isOperator ? " A dispatcher that runs counts it within a minute or two." : ""
            return [
                "\(subject): a dispatcher has gone before it had counted what it recorded then, and many may have died at once. "
                    + "\(patience)\(counting) Ask again after that."
            ]
        case .unread:
            let rights = reader.isOperator ? " Its user needs find on statistics and processes." : ""
            return ["\(subject): the store does not say whether many died at once. \(patience)\(rights)"]
        }
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

    /// How many notifications of a batch newer ones superseded; `nil` for none.
    private static func superseded(of story: BatchStory) -> String? {
        let count = story.superseded.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        let (were, newer) = count == 1 ? ("was", "a newer notification") : ("were", "newer notifications")
        return
            "\(count) \(were) superseded: \(newer) with the same collapse id \(were) accepted. Nothing is to be done."
    }

    private static let mostReasons = 3

    /// The reason, or the outcome without one, that most failures of a batch share, whatever else tells them apart.
    private static func largestFailure(
        of story: BatchStory
    ) -> (groups: [DeliveryGroup], reason: String, count: Int, isAlone: Bool)? {
        let reasons = Dictionary(grouping: story.failures) { $0.reason ?? $0.outcome }
        let counts = reasons.map { (reason: $0.key, count: $0.value.reduce(0) { $0 + $1.count }) }
        guard let largest = counts.max(by: { ($0.count, $1.reason) < ($1.count, $0.reason) }),
            let groups = reasons[largest.reason]
        else { return nil }
        return (groups, largest.reason, largest.count, counts.count { $0.count == largest.count } == 1)
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
}
