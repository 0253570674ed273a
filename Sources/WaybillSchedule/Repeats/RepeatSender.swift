import WaybillAMQP
import WaybillMongo
import WaybillReceipts
import WaybillThreads

/// Sends again what nobody has acknowledged, and notes what need not be sent again.
///
/// Owns nothing: what is claimed is published at once, or is in doubt, and is published once more under the same id.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and those of the broker.
struct RepeatSender {
    let broker: BrokerLink
    let report: ScheduleReport
    let strays: StrayFamilies

    /// Sends those whose time has come, and looks afterwards for what cannot be read.
    ///
    /// - Returns: whether there may be more.
    func turn(_ repeater: Repeater) throws(MongoError) -> Bool {
        let isBusy = try sendDue(repeater)
        try strays.look(repeater)
        return isBusy
    }

    private func sendDue(_ repeater: Repeater) throws(MongoError) -> Bool {
        guard broker.takesMessages else { return false }
        let claimed = try repeater.claim(now: WallClock.milliseconds())
        guard !claimed.isEmpty else { return false }
        let round = try repeater.examine(claimed, now: WallClock.milliseconds())
        if !round.repeats.isEmpty, isPublished(round.repeats) {
            try repeater.notePublished(round.repeats, now: WallClock.milliseconds())
            report.sentAgain(round.repeats)
        }
        try repeater.note(round, now: WallClock.milliseconds())
        for case (let id, .ended(let end, _)) in round.others { report.repeatsEnded(id, end) }
        return claimed.count == Repeater.pageSize
    }

    private func isPublished(_ repeats: [RepeatMessage]) -> Bool {
        broker.publish { (publisher, alarm) throws(AMQPError) in try publisher.publish(repeats, alarm: alarm) }
    }
}
