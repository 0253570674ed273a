package import WaybillCore
import WaybillEncoding

/// One notification's way, step by step, with what it means and what to do next.
package struct NotificationStory: Hashable, Sendable {
    package var record: LoggedDelivery
    /// In the order in which they happened; what is true now, and what will be, comes last.
    package var steps: [StoryStep]
    /// What its device has said of it, in the order in which it came here.
    package var receipts: [DeliveryReceipt]
    /// What the outcome means, in a sentence.
    package var meaning: String
    /// What to do, in words; never empty.
    package var next: [String]

    package init(
        record: LoggedDelivery,
        steps: [StoryStep],
        receipts: [DeliveryReceipt] = [],
        meaning: String,
        next: [String]
    ) {
        self.record = record
        self.steps = steps
        self.receipts = receipts
        self.meaning = meaning
        self.next = next
    }

    /// The story as an object: `record`, `steps`, `meaning` and `next`, and `receipts` where there are any.
    package func json(tokens: DeliveryJSON.Tokens = .whole) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("meaning", meaning)
        json.append("steps", steps.map(\.json))
        if !receipts.isEmpty { json.append("receipts", receipts.map(\.json)) }
        json.member("next", next)
        json.member("record", json: DeliveryJSON.line(record, tokens: tokens).utf8)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension NotificationStory {
    /// A shorter time between two attempts is the network's.
    private static let shortestPause: Int64 = 1000

    /// What a record itself tells of a notification's way.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - provider: what people call the push service that it is of.
    /// - Returns: the steps from its publication to its outcome, and its expiry.
    package static func steps(of record: LoggedDelivery, provider: String) -> [StoryStep] {
        var steps: [StoryStep] = []
        if let published = record.messageTime {
            // AMQP's timestamp has no milliseconds, and what seems to be a wait of less than a second may be none.
            let isWhole = published.isMultiple(of: 1000)
            let clock = isWhole ? "by its producer's clock, in whole seconds" : "by its producer's clock"
            let service = record.serviceID.map { "for the service \($0), " } ?? ""
            // Nobody published a repeat then: its id begins with the time for which it was planned.
            let words = record.family == nil ? clock : "as the repeat was planned"
            steps.append(StoryStep(.published, date: published, text: service + words))
        }
        steps += receiptsAndAttempts(of: record, provider: provider)
        if let outcome = Outcome(rawValue: record.outcome), outcome == .deferred {
            steps.append(StoryStep(.putOff, date: record.date, text: "it waits", reason: record.reason))
        } else {
            steps.append(
                StoryStep(
                    .outcome,
                    date: record.date,
                    text: record.outcome,
                    statusCode: record.statusCode,
                    reason: record.reason
                )
            )
        }
        return steps
    }

    /// The step that tells what replaced a notification on the device's screen.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - later: records of the same token, newest first.
    /// - Returns: `nil` if none of them did.
    package static func replacement(of record: LoggedDelivery, in later: some Collection<LoggedDelivery>) -> StoryStep?
    {
        guard let collapseID = record.collapseID, record.outcome == Outcome.accepted.rawValue else { return nil }
        let next = later.reversed().first {
            $0.collapseID.isExactly(collapseID) && $0.topic.isExactly(record.topic) && $0.outcome == record.outcome
        }
        return next.flatMap { next in
            next.id.map { StoryStep(.replaced, date: next.date, text: "by \($0), of the same collapse id") }
        }
    }

    /// The step that tells until when the record is there.
    package static func expiry(of record: LoggedDelivery) -> StoryStep {
        StoryStep(
            .expires,
            date: record.expiresAt,
            text: record.expiresAt == nil ? "never: its client's records are kept" : "the record, by retention"
        )
    }

    /// The last receipt, which is what a record tells of, and the attempts and waits before and after it.
    private static func receiptsAndAttempts(of record: LoggedDelivery, provider: String) -> [StoryStep] {
        var steps = attempts(of: record, provider: provider)
        for wait in record.waited where !isTold(wait, by: record) {
            let step = StoryStep(.putOff, date: wait.from, text: wait.text(of: record, provider: provider))
            steps.insert(step, at: steps.firstIndex { $0.date ?? .max > wait.from } ?? steps.endIndex)
        }
        let first = firstSight(of: record)
        guard let queued = record.queuedMilliseconds, (0...LaneWait.longest).contains(queued) else {
            return (record.waited.isEmpty ? [] : first.map { [$0.step] } ?? []) + steps
        }
        let wait = "\(WaitText.text(milliseconds: queued)) after its publication"
        // Without a time of publication, no later than the last attempt; before it the message may have waited for its lane.
        let latest = record.history.last?.date ?? record.date
        let isKnown = record.messageTime != nil
        let received = record.messageTime.map { $0 + queued } ?? latest
        let place = steps.firstIndex { $0.kind == .attempt && !isOfEarlierPass($0.date, received: received) }
        // It was taken before it was sent, whatever the clocks say.
        let date = place.flatMap { steps[$0].date }.map { min($0, received) } ?? received
        guard let first, isOfEarlierPass(first.date, received: received), isKnown || !record.waited.isEmpty else {
            return [StoryStep(.received, date: date, text: isKnown ? wait : "at the latest; \(wait)")] + steps
        }
        let again = isKnown ? "taken again, \(wait)" : "taken again, at the latest; \(wait)"
        steps.insert(StoryStep(.received, date: date, text: again), at: place ?? steps.endIndex)
        return [first.step] + steps
    }

    /// No delay queue holds a retry for less than a second: what lies nearer together is of one pass, by clocks that differ.
    private static let clockDifference: Int64 = 500

    /// Whether something happened in a pass before the one that a message was received for.
    private static func isOfEarlierPass(_ date: Int64?, received: Int64) -> Bool {
        guard let end = date?.addingReportingOverflow(clockDifference), !end.overflow else { return false }
        return end.partialValue < received
    }

    /// Whether the last step of a record that waits still says all that its entry does.
    private static func isTold(_ wait: LaneWait, by record: LoggedDelivery) -> Bool {
        record.outcome == Outcome.deferred.rawValue && wait.until == nil && wait.from == record.date
    }

    /// The first that is known of a notification in a dispatcher's hands; `nil` where nothing tells of an earlier pass.
    private static func firstSight(of record: LoggedDelivery) -> (date: Int64, step: StoryStep)? {
        let attempt = record.history.first?.date
        if let wait = record.waited.first?.from, wait < attempt ?? .max {
            return (wait, StoryStep(.received, date: wait, text: "by then: it was put off unsent"))
        }
        return attempt.map { ($0, StoryStep(.received, date: $0, text: "by then: its first attempt that is known")) }
    }

    /// - Returns: milliseconds; `nil` for less than one notices, and for what can be no wait.
    private static func pause(from earlier: Int64, to later: Int64) -> Int64? {
        LaneWait.length(from: earlier, to: later).flatMap { $0 >= shortestPause ? $0 : nil }
    }

    private static func attempts(of record: LoggedDelivery, provider: String) -> [StoryStep] {
        guard !record.history.isEmpty else {
            guard record.attempts > 0 else { return [] }
            return [
                StoryStep(
                    .attempt,
                    date: record.date,
                    text: text(of: record.statusCode, record.reason, provider),
                    statusCode: record.statusCode,
                    reason: record.reason
                )
            ]
        }
        var steps: [StoryStep] = []
        var previous: Int64?
        for attempt in record.history {
            // What follows of the pause because of its lane has steps of its own.
            let end = previous.flatMap { start in
                record.waited.first { $0.from >= start && $0.from < attempt.date }?.from
            }
            // Neither has what lies within such a wait: a lane that is refused is tried by one push after the other.
            let isWithin = previous.map { start in record.waited.contains { $0.covers(start, attempt.date) } } ?? false
            if !isWithin, let previous, let pause = pause(from: previous, to: end ?? attempt.date) {
                steps.append(StoryStep(.putOff, date: previous, text: "for \(WaitText.text(milliseconds: pause))"))
            }
            previous = attempt.date
            steps.append(
                StoryStep(
                    .attempt,
                    date: attempt.date,
                    text: text(of: attempt.status, attempt.reason, provider, attempt.detail),
                    statusCode: attempt.status,
                    reason: attempt.reason
                )
            )
        }
        return steps
    }

    /// How an attempt ended, beside its status and reason.
    private static func text(
        of status: Int?,
        _ reason: String?,
        _ provider: String,
        _ detail: String? = nil
    ) -> String {
        guard let status else { return "no answer" }
        if let detail { return "answer of \(provider): \(detail)" }
        let isSilent = reason == nil && status >= DeliveryExplanation.leastRefusal
        return "answer of \(provider)\(isSilent ? ", which gave no reason" : "")"
    }
}

extension LaneWait {
    /// The way of a retry back from its delay queue to the provider, in milliseconds.
    private static let way: Int64 = 60_000

    /// Whether it lasted from one attempt to the next.
    fileprivate func covers(_ attempt: Int64, _ next: Int64) -> Bool {
        let end = until.map { $0.addingReportingOverflow(Self.way) }
        return from <= attempt && end.map { $0.overflow || next <= $0.partialValue } ?? true
    }
}
