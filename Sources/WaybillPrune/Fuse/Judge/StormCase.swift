import WaybillCore
import WaybillDeviceRegistry

/// What is known of one fuse when it is judged, and what follows from it: pure.
///
/// Times are milliseconds since 1970, minutes whole minutes since then.
struct StormCase {
    /// `nil` for one that has never blown.
    let fuse: Fuse?
    /// The minutes from which it is looked back; of a blown fuse those before its storm alone: what was said since is held.
    let ends: Set<Int64>
    /// Whether each minute is known by itself, with all that was answered in it.
    let isExact: Bool
    let now: Int64

    /// - Parameters:
    ///   - fuse: as it stands in the store.
    ///   - minutes: in which something was said of tokens.
    ///   - wholeHoursUntil: what is older is known by the hour alone, and stands at the hour's beginning.
    ///   - isInDoubt: whether more may have been answered than was counted.
    ///   - now: the time.
    init(_ fuse: Fuse?, minutes: Set<Int64>, wholeHoursUntil: Int64?, isInDoubt: Bool = false, now: Int64) {
        self.fuse = fuse
        isExact = wholeHoursUntil == nil && !isInDoubt
        let since = fuse.flatMap { $0.isBlown ? $0.cause.since / FuseRule.Minute.milliseconds : nil }
        ends = Set(
            minutes.compactMap { end in
                let isOld = wholeHoursUntil.map { end < $0 } == true
                // An hour in which the storm began does not tell whether it began earlier.
                if let since { return end < since && !isOld ? end : nil }
                return isOld ? end / 60 * 60 : end
            }
        )
        self.now = now
    }

    /// The share of invalid tokens that is usual.
    ///
    /// - Parameter hours: of the time before.
    /// - Returns: 0 to 1, without the hours that are in doubt; `nil` if there is too little to tell.
    func usualShare(_ hours: [FuseRule.Minute]) -> Double? {
        let sound = hours.filter { hour in
            let start = hour.number * FuseRule.Minute.milliseconds
            return fuse?.isDoubtful(start..<start + 60 * FuseRule.Minute.milliseconds) != true
        }
        return FuseRule.usual(sound.map { ($0.answers, $0.invalid) })
    }

    /// The hours of the minutes from which it is looked back, by their first minutes, in order.
    var hours: [Int64] { Set(ends.map { $0 / 60 * 60 }).sorted() }

    /// Judges by what is usual at an hour: minutes that are looked at late are judged as they were at their own time.
    ///
    /// - Parameters:
    ///   - minutes: what was answered in them.
    ///   - hour: one of ``hours``.
    ///   - before: what was answered in the hours before it.
    ///   - policy: the settings.
    /// - Returns: why the fuse blows, by what is answered in that hour and since; `nil` if nothing in that hour blows it.
    func finding(
        _ minutes: [FuseRule.Minute],
        in hour: Int64,
        after before: [FuseRule.Minute],
        _ policy: FusePolicy
    ) -> FuseRule.Finding? {
        let tolerated = fuse?.toleratedShare(now: min(now, hour * FuseRule.Minute.milliseconds))
        let known = usualShare(before)
        func judge(_ ends: Set<Int64>) -> FuseRule.Finding? {
            FuseRule.judge(
                minutes,
                ends: ends,
                armed: fuse?.armed ?? 0,
                usual: tolerated.map { max($0, known ?? 0) } ?? known,
                isExact: isExact,
                policy
            )
        }
        guard judge(ends.filter { $0 / 60 * 60 == hour }) != nil else { return nil }
        return judge(ends.filter { $0 >= hour })
    }

    /// What stands in the store of a fuse that blows.
    ///
    /// - Parameters:
    ///   - finding: why it does.
    ///   - words: what it looks like.
    ///   - reason: the push service's word in most answers.
    /// - Returns: the cause; its events are held from the beginning of the storm on, which is never in the minute of a
    ///   decision: what was said in that has gone the way of what was decided.
    func cause(_ finding: FuseRule.Finding, words: String, reason: String?) -> Fuse.Cause {
        Fuse.Cause(
            at: now,
            since: finding.minutes.lowerBound * FuseRule.Minute.milliseconds,
            answers: finding.answers,
            invalid: finding.invalid,
            limit: Int(finding.limit * 1000),
            usual: finding.usual.map { Int($0 * 1000) },
            reason: reason,
            words: words,
            whole: Int(finding.wholeShare * 1000)
        )
    }
}
