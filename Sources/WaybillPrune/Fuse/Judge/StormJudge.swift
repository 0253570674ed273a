import Logging
import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo
import WaybillProviders
import WaybillTelemetry

/// Looks at what push services have answered in the minutes of events, and blows the fuses that must.
///
/// Input: that something was said of a token, and the log's statistics. Output: fuses that are blown. Owns which minutes are to
/// be looked at, and what is known of the week before; what follows from them is a ``StormCase``.
///
/// *Thread:* `wb-prune`. *Blocking:* ``look(_:)``, up to the limits of the pool and of the statistics.
final class StormJudge {
    private let policy: FusePolicy
    private let clock: RoundClock
    private let control: PruneControl
    private let logger: Logger
    private var watch = FuseWatch()
    private var history = AnswerHistory()

    init(policy: FusePolicy, clock: RoundClock, control: PruneControl, logger: Logger) {
        self.policy = policy
        self.clock = clock
        self.control = control
        self.logger = logger
    }

    /// Takes down that something was said of a token of a fuse.
    func note(_ name: FuseName, minute: Int64, _ work: FuseWork) { watch.note(name, minute: minute, now: work.now) }

    /// Takes down that something was said of a token of a fuse, and carried out, by whomever.
    func recall(_ name: FuseName, minute: Int64, _ work: FuseWork) { watch.recall(name, minute: minute, now: work.now) }

    /// Looks at the fuses whose turn it is, lane by lane.
    func look(_ work: FuseWork) throws(MongoError) {
        let due = watch.due(now: work.now)
        guard policy.isOn, !due.isEmpty else { return }
        let fuses = try work.fuses()
        for (lane, names) in Dictionary(grouping: due.keys, by: \.lane) {
            let ends = names.reduce(into: Set<Int64>()) { $0.formUnion(due[$1] ?? []) }
            let answers = work.answers(of: lane)
            let counted = try answers.of(names.map(\.app), endingWith: ends, window: policy.minutes)
            for name in names {
                let minutes = due[name] ?? []
                let found = StormCase(
                    fuses[name],
                    minutes: minutes,
                    wholeHoursUntil: counted.wholeHoursUntil,
                    isInDoubt: counted.isInDoubt,
                    now: work.now
                )
                if try judge(found, of: name, counted.steps[name.app] ?? [], answers, work) {
                    watch.looked(name, minutes, areInDoubt: counted.isInDoubt, now: work.now)
                } else {
                    watch.postponed(name, now: work.now)
                }
            }
        }
    }

    /// - Returns: whether it was judged; `false` while what a person has decided is not followed to its end.
    private func judge(
        _ storm: StormCase,
        of name: FuseName,
        _ minutes: [FuseRule.Minute],
        _ answers: LaneAnswers,
        _ work: FuseWork
    ) throws(MongoError) -> Bool {
        // What a person has decided is followed to its end first.
        if let fuse = storm.fuse, !fuse.isBlown, try work.events.has(name, .held) { return false }
        for hour in storm.hours {
            // What is usual raises the limit, and nothing else: most are within it without that.
            guard storm.finding(minutes, in: hour, after: [], policy) != nil else { continue }
            let known = try history.hours(of: name, before: hour, answers)
            guard let finding = storm.finding(minutes, in: hour, after: known, policy) else { continue }
            if let fuse = storm.fuse, fuse.isBlown {
                try extend(fuse, finding, work)
            } else {
                try blow(name, storm, finding, answers, work)
            }
            break
        }
        return true
    }

    /// What was counted late shows that the storm began earlier.
    private func extend(_ fuse: Fuse, _ finding: FuseRule.Finding, _ work: FuseWork) throws(MongoError) {
        let since = finding.minutes.lowerBound * FuseRule.Minute.milliseconds
        guard try work.store.extend(fuse, backTo: since) else { return }
        logger.emit(PruneEvent.fuseExtended(fuse.name, since: since))
        clock.hurry()
    }

    private func blow(
        _ name: FuseName,
        _ storm: StormCase,
        _ finding: FuseRule.Finding,
        _ answers: LaneAnswers,
        _ work: FuseWork
    ) throws(MongoError) {
        let (words, reason) = TokenStormWords.text(try answers.reasons(of: name.app, finding.minutes))
        let cause = storm.cause(finding, words: words, reason: reason)
        guard try work.store.blow(name, cause, known: storm.fuse) else { return }
        var counts = PruneCounts()
        counts.blown = 1
        control.add(counts)
        logger.emit(PruneEvent.fuseBlown(name, cause))
        clock.hurry()
    }
}
