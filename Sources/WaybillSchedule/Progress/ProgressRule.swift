import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillNotifications

/// What the record of its audience and the delivery log say of a notification.
///
/// Times are milliseconds since 1970.
enum ProgressRule {
    /// After that long nothing more is expected.
    static let patience: Int64 = 3 * 86_400_000
    private static let shortest: Int64 = 500
    private static let longest: Int64 = 60_000
    /// So long before it begins somebody looks once more whether it is cancelled.
    private static let last: Int64 = 2000

    /// - Parameters:
    ///   - audience: `nil`: the fan-out has not entered it, or its record is gone.
    ///   - counts: of its batch in the log.
    ///   - begins: when the audience was to begin.
    ///   - now: the time.
    /// - Returns: what is to be said of the notification.
    static func progress(
        _ audience: AudienceRecord?,
        _ counts: [OutcomeCount],
        begins: Int64,
        now: Int64
    ) -> PostedProgress {
        // Whatever a document says of its time, and however long it was paused: what has only just been entered, or ended, is
        // not late.
        let known = audience.map { max($0.createdAt, $0.finishedAt ?? 0) } ?? 0
        let isLate = now - max(begins, known) > patience
        guard let audience else {
            let reason = isLate ? "its audience has no record; look for its message in the rejected queue" : nil
            return PostedProgress(
                state: isLate ? .failed : begins > now ? .scheduled : .sending,
                reason: reason
            )
        }
        let ended = counts.filter { $0.outcome != Outcome.deferred.rawValue }.reduce(0) { $0 + $1.count }
        let recorded = counts.reduce(0) { $0 + $1.count }
        var progress = PostedProgress(
            state: audience.state == .waiting && audience.due > now ? .scheduled : .sending,
            devices: audience.expanded,
            handedOver: audience.knownHandedOver(recorded: recorded),
            unconfirmed: audience.unconfirmed(recorded: recorded),
            leftOut: audience.leftOut,
            outcomes: counts.map { PostedProgress.Outcome(name: $0.outcome, count: $0.count) }
        )
        guard audience.state.isEnded, ended >= audience.handedOver || isLate else { return progress }
        // A superseded push was replaced by a newer accepted one, so its device is reached.
        let reached = [Outcome.accepted, .superseded].reduce(0) { $0 + count($1, in: counts) }
        switch audience.state {
        case .cancelled: (progress.state, progress.reason) = (.cancelled, audience.reason)
        case .failed: (progress.state, progress.reason) = (.failed, audience.reason)
        case .waiting, .expanding, .done:
            progress.state = reached > 0 ? .sent : count(.cancelled, in: counts) > 0 ? .cancelled : .failed
            progress.reason = reason(audience, reached: reached, missing: audience.handedOver - ended)
        }
        return progress
    }

    private static func count(_ outcome: Outcome, in counts: [OutcomeCount]) -> Int {
        counts.first { $0.outcome == outcome.rawValue }?.count ?? 0
    }

    private static func reason(_ audience: AudienceRecord, reached: Int, missing: Int) -> String? {
        if missing > 0 { return "of \(missing) notifications the outcome is not known after three days" }
        if reached > 0 { return nil }
        if audience.handedOver > 0 { return "no push was accepted" }
        if audience.withoutContent > 0 { return "it has no content for the provider of any device" }
        return audience.withoutLane > 0 ? "no device has a lane" : "no device that may be pushed to matches"
    }

    /// When to look again: soon at first, and the later the longer it takes.
    ///
    /// - Parameters:
    ///   - state: how far it is.
    ///   - begins: when the audience was to begin.
    ///   - isUntold: whether its audience is to be told something as soon as there is one.
    ///   - now: the time.
    /// - Returns: the time of the next look.
    static func next(_ state: PostedProgress.State, begins: Int64, isUntold: Bool, now: Int64) -> Int64 {
        if isUntold { return now + shortest }
        if state == .scheduled {
            return min(begins - last > now ? begins - last : max(begins, now) + shortest, now + longest)
        }
        return now + min(longest, max(shortest, (now - begins) / 4))
    }
}
