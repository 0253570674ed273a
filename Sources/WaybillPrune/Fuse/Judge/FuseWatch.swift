import WaybillDeviceRegistry

/// Which minutes of which fuses are to be looked at, and when: pure, in the milliseconds that it is told.
///
/// Statistics come a little after the events. So a minute is looked at when its first event comes, and again every few seconds until
/// what was counted of it cannot grow any more.
struct FuseWatch {
    /// How often the same minutes are looked at, in milliseconds.
    static let interval: Int64 = 2000
    /// How long after its end a minute may still be counted, in milliseconds: dispatchers write their counts every few seconds,
    /// a minute apart at the most, and a repeat of a failed write takes its time.
    static let settling: Int64 = 180_000

    private struct Entry {
        var minutes: Set<Int64> = []
        /// Of which nothing was looked at yet.
        var isNew = true
        var lastLook: Int64 = .min
    }

    private var entries: [FuseName: Entry] = [:]

    /// Takes down that something was said of a token.
    mutating func note(_ name: FuseName, minute: Int64) {
        if entries[name, default: Entry()].minutes.insert(minute).inserted { entries[name]?.isNew = true }
    }

    /// The fuses whose turn it is, with their minutes.
    func due(now: Int64) -> [FuseName: Set<Int64>] {
        entries.filter { $0.value.isNew || now - $0.value.lastLook >= Self.interval }.mapValues(\.minutes)
    }

    /// Takes down that minutes were looked at; those that are settled need no other look.
    mutating func looked(_ name: FuseName, _ minutes: Set<Int64>, now: Int64) {
        guard var entry = entries[name] else { return }
        let settled = minutes.filter { ($0 + 1) * FuseRule.Minute.milliseconds + Self.settling < now }
        entry.minutes.subtract(settled)
        entry.isNew = !entry.minutes.isSubset(of: minutes)
        entry.lastLook = now
        entries[name] = entry.minutes.isEmpty ? nil : entry
    }

    /// Takes down that minutes could not be judged yet: they are kept, however old they are, and looked at again a while later.
    mutating func postponed(_ name: FuseName, now: Int64) {
        entries[name]?.isNew = false
        entries[name]?.lastLook = now
    }
}
