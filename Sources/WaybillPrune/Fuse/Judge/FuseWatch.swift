import WaybillDeviceRegistry

/// Which minutes of which fuses are to be looked at, and when: pure, in the milliseconds that it is told.
///
/// Statistics come a little after the events. So a minute is looked at when its first event comes, and again every few seconds until
/// what was counted of it cannot grow any more; and for as long as nobody knows whether all of it is counted.
///
/// Minutes are those of the dispatchers' clocks, and when something came is by ours: how long a minute is looked at follows from that.
struct FuseWatch {
    /// How often the same minutes are looked at, in milliseconds.
    static let interval: Int64 = 2000
    /// The same where all that keeps them is that not everything may be counted: until a dispatcher counts anew, which may take hours.
    static let intervalInDoubt: Int64 = 5000
    /// How long after its last event, or its end, a minute may still be counted, in milliseconds: dispatchers write their counts every
    /// few seconds, a minute apart at the most, and a repeat of a failed write takes its time.
    static let settling: Int64 = 180_000

    private struct Minute {
        /// It is looked at until then in any case.
        var settled: Int64
        /// It is looked at until then where not everything may be counted: what was carried out can be taken back for no longer.
        var forgotten: Int64
    }

    private struct Entry {
        var minutes: [Int64: Minute] = [:]
        /// Of which nothing was looked at yet.
        var isNew = true
        /// A decision is followed first.
        var isPostponed = false
        var lastLook: Int64 = .min

        func isDue(_ now: Int64) -> Bool {
            // What was settled at the last look is kept for doubt alone.
            let isFresh = isPostponed || minutes.values.contains { $0.settled >= lastLook }
            let interval = isFresh ? FuseWatch.interval : FuseWatch.intervalInDoubt
            // Also where the clock was put back.
            return isNew || lastLook > now || lastLook <= now - interval
        }
    }

    private var entries: [FuseName: Entry] = [:]

    /// Takes down that something was said of a token: it has just come.
    mutating func note(_ name: FuseName, minute: Int64, now: Int64) {
        keep(name, minute, settled: now + Self.settling, now)
    }

    /// Takes down that something was said of a token and carried out, nobody knows when: it is looked at once, and again while it is
    /// no longer over than others.
    mutating func recall(_ name: FuseName, minute: Int64, now: Int64) {
        let settled = (minute + 1) * FuseRule.Minute.milliseconds + Self.settling
        keep(name, minute, settled: min(settled, now + Self.settling), now)
    }

    private mutating func keep(_ name: FuseName, _ minute: Int64, settled: Int64, _ now: Int64) {
        let known = entries[name, default: Entry()].minutes[minute]
        entries[name, default: Entry()].minutes[minute] = Minute(
            settled: max(settled, known?.settled ?? settled),
            forgotten: now + TokenEvents.keepingApplied
        )
        if known == nil { entries[name]?.isNew = true }
    }

    /// The fuses whose turn it is, with their minutes.
    func due(now: Int64) -> [FuseName: Set<Int64>] {
        entries.filter { $0.value.isDue(now) }.mapValues { Set($0.minutes.keys) }
    }

    /// Takes down that minutes were looked at; those that are settled need no other look.
    ///
    /// - Parameters:
    ///   - name: whose.
    ///   - minutes: which.
    ///   - areInDoubt: whether more may have been answered in them than was counted.
    ///   - now: the time.
    mutating func looked(_ name: FuseName, _ minutes: Set<Int64>, areInDoubt: Bool, now: Int64) {
        guard var entry = entries[name] else { return }
        entry.minutes = entry.minutes.filter { number, minute in
            !minutes.contains(number) || (areInDoubt ? minute.forgotten : minute.settled) >= now
        }
        entry.isNew = !minutes.isSuperset(of: entry.minutes.keys)
        entry.isPostponed = false
        entry.lastLook = now
        entries[name] = entry.minutes.isEmpty ? nil : entry
    }

    /// Takes down that minutes could not be judged yet: they are kept, however old they are, and looked at again a while later.
    mutating func postponed(_ name: FuseName, now: Int64) {
        entries[name]?.isNew = false
        entries[name]?.isPostponed = true
        entries[name]?.lastLook = now
    }
}
