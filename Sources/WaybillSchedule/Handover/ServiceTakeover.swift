import WaybillAMQP
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Hands over what services have said, where who took it did not.
///
/// Owns nothing: what was claimed and not published is found again when its claim ends.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and those of the broker.
struct ServiceTakeover {
    let broker: BrokerLink
    let report: ScheduleReport

    /// Hands over the next one.
    ///
    /// - Returns: whether there may be more.
    func turn(_ stored: NotificationStore) throws(MongoError) -> Bool {
        guard broker.takesMessages, let one = try stored.claimOverdue(now: WallClock.milliseconds()),
            broker.publish({ (publisher, alarm) throws(AMQPError) in try publisher.publish(one, alarm: alarm) })
        else { return false }
        try stored.markSent([one.id], now: WallClock.milliseconds())
        report.takenOver()
        return true
    }
}
