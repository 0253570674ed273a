import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillProviders

/// When a notification that was put off comes back from its delay queue, as far as its record and the steps tell.
///
/// Which of the steps it waits on is not recorded: it follows from all of its passes, and from how long the provider asked to wait.
struct RetryTime: Hashable {
    /// Milliseconds since 1970: it is not tried again before.
    let earliest: Int64
    /// Milliseconds since 1970: its delay is over by then.
    let latest: Int64

    /// What is not sent for its lane's sake waits no longer than this at a time, in milliseconds.
    private static let longestForLane: Int64 = 900_000
    /// What was refused for its lane's sake waits for at least as long, in milliseconds.
    private static let shortestForLane: Int64 = 30_000

    /// - Parameters:
    ///   - record: the record; of anything but a deferred notification there is no such time.
    ///   - policy: with the steps of the delay queues.
    ///   - provider: whose words the record has.
    init?(of record: LoggedDelivery, policy: RetryPolicy, provider: ProviderName) {
        guard record.outcome == Outcome.deferred.rawValue else { return nil }
        self.init(
            putOff: record.date...record.date,
            waitForLane: record.attempts == 0 || record.reason.map(provider.isLaneFault) == true,
            policy: policy
        )
    }

    /// Of notifications that were put off alike.
    ///
    /// - Parameters:
    ///   - group: whose dates are those of the first and the last of them.
    ///   - examples: records of some of them.
    ///   - policy: with the steps of the delay queues.
    ///   - provider: whose words the records have.
    init?(of group: DeliveryGroup, examples: [LoggedDelivery], policy: RetryPolicy, provider: ProviderName) {
        guard group.outcome == Outcome.deferred.rawValue, group.first <= group.last else { return nil }
        let isUntried = !examples.isEmpty && examples.allSatisfy { $0.attempts == 0 }
        self.init(
            putOff: group.first...group.last,
            waitForLane: isUntried || group.reason.map(provider.isLaneFault) == true,
            policy: policy
        )
    }

    private init?(putOff dates: ClosedRange<Int64>, waitForLane waitsForLane: Bool, policy: RetryPolicy) {
        guard let first = policy.steps.first, let last = policy.steps.last else { return nil }
        let longest =
            waitsForLane
            ? max(
                policy.steps.last { $0.milliseconds <= Self.longestForLane } ?? first,
                policy.steps.first { $0.milliseconds >= Self.shortestForLane } ?? last
            ) : last
        let (earliest, isTooLate) = dates.lowerBound.addingReportingOverflow(first.milliseconds)
        let (latest, isTooLateToo) = dates.upperBound.addingReportingOverflow(longest.milliseconds)
        guard !isTooLate, !isTooLateToo else { return nil }
        self.earliest = earliest
        self.latest = latest
    }

    /// What a story says of it.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the step.
    func step(now: Int64) -> StoryStep {
        let end = TimeText.text(milliseconds: latest)
        let text =
            if now > latest {
                "its delay was over by \(end): it waits in the retry queue, or was put off again before it was sent"
            } else if earliest == latest {
                "not before; then as soon as its lane sends"
            } else {
                "not before, and by \(end) at the latest its delay is over; then as soon as its lane sends"
            }
        return StoryStep(.due, date: earliest, text: text, latest: latest)
    }
}
