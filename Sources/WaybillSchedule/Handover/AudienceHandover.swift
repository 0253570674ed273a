import WaybillAMQP
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Publishes the audience messages of documents that this process has claimed, and of those that another one has not handed
/// over in time.
///
/// Owns what is claimed until the broker is known to have it and its document says so. Invariant: a message is published when
/// it stands in its document; its document says that it is under way when the broker has confirmed it, or when it was
/// cancelled: then nobody tries any more, the broker may have it or not, and whoever follows it ends its audience.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and those of the broker.
final class AudienceHandover {
    private let broker: BrokerLink
    private let report: ScheduleReport
    private var pending = PendingAudiences()

    init(broker: BrokerLink, report: ScheduleReport) {
        self.broker = broker
        self.report = report
    }

    /// Whether nothing waits for the broker.
    var isIdle: Bool { pending.isEmpty }

    /// So many more can be taken.
    var room: Int { pending.room }

    /// Takes what was claimed just now.
    func take(_ claimed: PostedStore.Claimed) { _ = pending.take(claimed) }

    /// Publishes what waits for it.
    ///
    /// - Returns: whether there may be more.
    func turn(_ posted: PostedStore) throws(MongoError) -> Bool {
        let now = WallClock.milliseconds()
        while pending.room > 0, let one = try posted.claimOverdue(now: now) {
            if pending.take(one) { report.repeated() }
        }
        try giveUpCancelled(posted, now: now)
        let claimed = pending.audiences
        guard !claimed.isEmpty,
            broker.publish({ (publisher, alarm) throws(AMQPError) in
                try publisher.publish(claimed, alarm: alarm) {
                    // What cannot be asked for goes on.
                    (try? posted.cancelled(among: claimed))?.isEmpty ?? true
                }
            })
        else { return false }
        try note(claimed, posted)
        pending = PendingAudiences()
        report.handedOver(claimed)
        return true
    }

    /// Notes what the broker has; a document that the server lets nobody change so fails.
    private func note(_ claimed: [PostedStore.Claimed], _ posted: PostedStore) throws(MongoError) {
        let now = WallClock.milliseconds()
        for (one, refusal) in try posted.noteHandedOver(claimed, now: now) {
            _ = try posted.fail(one.id, refusal, now: now)
        }
    }

    /// Publishes no more what was cancelled, and leaves it to whoever follows it.
    ///
    /// Between the question and the message there is nothing else. What was cancelled later is under way as soon as the broker
    /// has confirmed it, or when the wait for that was given up.
    private func giveUpCancelled(_ posted: PostedStore, now: Int64) throws(MongoError) {
        let cancelled = try posted.cancelled(among: pending.audiences)
        var gone = pending.audiences.filter { cancelled.contains($0.id) }
        // What another one has claimed and not handed over is ended also while there is no room for it.
        while pending.room == 0, gone.count < Self.mostGivenUp,
            let one = try posted.claimOverdue(now: now, cancelledAlone: true)
        {
            gone.append(one)
        }
        try note(gone, posted)
        pending.drop(cancelled)
    }

    /// So many are given up in one turn: what else there is to do does not wait for long.
    private static let mostGivenUp = 100
}
