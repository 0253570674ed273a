import WaybillDeviceRegistry
import WaybillMongo

/// Does from time to time what is left to do: of this process, of others that are gone, and of what people have decided.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the limits of the pool and of the statistics.
struct FuseRounds {
    let clock: RoundClock
    let judge: StormJudge
    let held: HeldCount
    let sweep: StormSweep
    let decisions: DecisionFollower
    let control: PruneControl

    /// Makes a round.
    ///
    /// - Returns: whether more is left to do at once.
    func run(_ work: FuseWork) throws(MongoError) -> Bool {
        try recollect(work)
        try judge.look(work)
        let fuses = try work.fuses()
        var isMore = false
        for fuse in fuses.values {
            try sweep.run(fuse, work)
            if try decisions.run(fuse, work) { isMore = true }
        }
        try count(fuses, work)
        if isMore { clock.hurry() }
        return isMore
    }

    /// Takes down for the judge what was carried out lately, by whomever.
    ///
    /// The first time, and then from time to time, it is all that can be taken back still: who has carried it out may be gone, or was
    /// stopped, before anybody could judge it, and statistics may have been counted anew since it was judged.
    private func recollect(_ work: FuseWork) throws(MongoError) {
        guard clock.isRecollectionDue() else { return }
        let isWhole = clock.isWholeRecollectionDue()
        let since = isWhole ? nil : work.now - FuseWatch.settling - 2 * FuseRule.Minute.milliseconds
        for (name, minutes) in try work.events.appliedMinutes(since: since) {
            for minute in minutes { judge.recall(name, minute: minute, work) }
        }
        clock.recollected(isWhole: isWhole)
    }

    /// Counts what is held when it is time to, and when a fuse has changed.
    private func count(_ fuses: [FuseName: Fuse], _ work: FuseWork) throws(MongoError) {
        let blown = Set(fuses.values.filter(\.isBlown).map(\.name))
        guard clock.isCountDue() || blown != control.blownFuses else { return }
        try held.count(fuses, work)
        clock.counted()
    }
}
