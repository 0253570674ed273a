import Synchronization
package import WaybillCore
import WaybillDeliveryLog
import WaybillProviders
import WaybillThreads

/// A decoded message in flight: the batch, where it came from, and what the log already knows of it.
package final class InFlightMessage: SendOwner {
    let finalizer: Finalizer
    package let batch: Batch
    /// How the message arrived; a delayed retry is published with the same.
    package let origin: Origin

    /// What stays the same over all passes of a message.
    package struct Origin: Sendable {
        /// 1 for the producer's own message, more for its delayed retries.
        var pass: Int
        /// The message was put back by a dispatcher, with its items' positions.
        var isRetry: Bool
        /// The broker has handed the message out before, or may have it twice.
        var isRedelivered: Bool
        /// The message may have come here before by another way: see `MovedMessages`.
        var mayBeKnown = false
        /// A retry of it came here first.
        var isBehindItsRetry = false
        /// Whether its records tell that its producer has published it twice.
        var tellsOfProducersRepeat: Bool { !isRedelivered && !isRetry && !isBehindItsRetry }
        var messageID: String?
        /// The user who published the producer's own message, validated by the broker.
        var producer: String?
        /// What the producer's program calls itself; only for people.
        var appID: String?
        /// It came from the bulk queue, and lets others go first.
        var isBulk = false
        /// How long it was put off unsent before this pass, because of its lane.
        var waited: [LaneWait] = []
        /// Which repeat of an unacknowledged notification it is; `nil` for what a producer has published.
        var family: FamilyMember?
        /// Nobody in `producers` has the message's user, and nobody has to.
        var isOfUnknownProducer = false
        /// The AMQP `timestamp`, in seconds since 1970; below 2^38.
        var timestamp: UInt64?
        /// When a dispatcher first saw the message, in milliseconds since 1970.
        var firstSeen: Int64
        /// The message's own time, from which ages count, in milliseconds since 1970; ``firstSeen`` if it carries none.
        var time: Int64
        /// Whether the producer gave it that time, by a timestamp or in the message's id.
        var isTimeItsOwn: Bool {
            let known = MessageProperties(
                messageID: messageID,
                timestampMilliseconds: timestamp.map { Int64($0) * 1000 }
            )
            return MessageTime.milliseconds(of: known) != nil
        }
        /// When this delivery was taken, in milliseconds since 1970.
        package var receivedAt: Int64
    }

    /// Whether it lets others go first, here and in its lane.
    var isBulk: Bool { origin.isBulk }

    package var yields: Bool { isBulk }

    private let probes = Atomic(false)
    /// Whether the message was let through to find out whether its lane is refused still.
    var isProbe: Bool {
        get { probes.load(ordering: .relaxed) }
        set { probes.store(newValue, ordering: .relaxed) }
    }

    /// What the log has of its items; nothing where it was not asked.
    private let findings: RecallFindings

    init(finalizer: Finalizer, batch: Batch, origin: Origin, findings: RecallFindings = RecallFindings()) {
        self.finalizer = finalizer
        self.batch = batch
        self.origin = origin
        self.findings = findings
        needsRecall =
            origin.isRedelivered || origin.isRetry || origin.mayBeKnown || batch.identity.milliseconds == nil
            || batch.hasGivenIDs || !batch.repeats.isEmpty
    }

    /// When retries of it end in any case; `nil` while none of it has been sent in vain.
    func retriesEnd(_ policy: RetryPolicy) -> Int64? {
        origin.pass > 1 ? policy.retriesEnd(firstSeen: origin.firstSeen) : nil
    }

    /// Whether anything of it could still be sent when it was taken.
    func hasUnexpired(_ policy: RetryPolicy) -> Bool {
        batch.hasUnexpired(
            at: origin.receivedAt / 1000,
            messageTime: origin.time,
            retriesEnd: retriesEnd(policy)
        )
    }

    /// The step that follows for an item whose record is `deferred`: its retry waits in the broker, or another dispatcher has it.
    enum DeferredStep: Equatable {
        case push
        /// The record's retry is published again: pushing now would be too early, and whether that retry is there is unknown.
        case publishAgain(PlannedPass)
        /// This retry is out of date, and the record's retry is there: its dispatcher settles it.
        case drop
    }

    /// Decides by the pass that the record waits for.
    ///
    /// - Parameters:
    ///   - next: as the record says it; `nil` in records of 0.2.0, which do not.
    ///   - now: milliseconds since 1970.
    /// - Returns: a push where the record says nothing of its retry.
    func step(ofDeferred next: PlannedPass?, now: Int64) -> DeferredStep {
        guard let next else { return .push }
        let isOutdated = origin.pass < next.number
        guard origin.isRetry else { return .publishAgain(next) }
        // Its dispatcher may have ended between the record and the retry: the broker hands it out again then.
        guard origin.isRedelivered else { return isOutdated ? .drop : .push }
        return isOutdated || now < next.due ? .publishAgain(next) : .push
    }

    /// Whether the store has to be asked before anything is sent: records of these items may exist, or some of them are to be
    /// written down as unacknowledged.
    let needsRecall: Bool

    /// The message as it goes on when the log has been asked.
    func recalled(_ findings: RecallFindings) -> InFlightMessage {
        let message = InFlightMessage(finalizer: finalizer, batch: batch, origin: origin, findings: findings)
        message.isProbe = isProbe
        return message
    }

    /// Whether another notification has an item's id in the log.
    func isIDTaken(at position: Int) -> Bool {
        findings.withTakenID.contains(position)
    }

    /// Whether a record says that an item was cancelled, and does not say that it may have been pushed all the same.
    ///
    /// The record may have been written while the message was in other hands, which then were lost.
    func mayHaveBeenPushed(beside recorded: RecordedDelivery) -> Bool {
        recorded.outcome == .cancelled && !recorded.isRepeat && origin.isRetry && origin.isRedelivered
    }

    /// The newer notification that an item gives way to on the screen; `nil` where there is none, or it was not looked for.
    func newer(at position: Int) -> NotificationID? { findings.newer[position] }

    /// What the log knew of an item before this pass.
    ///
    /// - Parameter position: in `batch.items`.
    /// - Returns: `nil` for a first sight, or when there is no record.
    func recalledDelivery(at position: Int) -> RecordedDelivery? {
        findings.own[position]
    }
}
