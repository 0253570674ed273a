/// Keys that were found lately, so that not every request asks the store.
///
/// Only what was found is kept: a key that is made is good at once, and one that is revoked is believed for ``patience`` at most.
/// Not safe to share: its owner has a lock.
package struct KeyCache {
    /// How long an answer holds, in milliseconds.
    package static let patience: Int64 = 30_000
    private static let most = 1000

    private struct Entry {
        var key: AccessKey
        let time: Int64
        /// When its use was noted last.
        var noted: Int64?
    }

    private var entries: [KeyDigest: Entry] = [:]

    package init() {}

    /// The key, if it was found lately and is still good.
    package func key(_ digest: KeyDigest, now: Int64) -> AccessKey? {
        guard let entry = entries[digest], now - entry.time < Self.patience, now >= entry.time,
            entry.key.isGood(now: now)
        else { return nil }
        return entry.key
    }

    /// Keeps what the store has answered.
    package mutating func keep(_ key: AccessKey, _ digest: KeyDigest, now: Int64) {
        if entries.count >= Self.most {
            entries = entries.filter { now - $0.value.time < Self.patience }
            if entries.count >= Self.most { entries.removeAll() }
        }
        entries[digest] = Entry(key: key, time: now, noted: entries[digest]?.noted ?? key.lastUsedAt)
    }

    /// Whether a key's use is to be noted now; the next time after ``KeyWriter/useInterval``.
    package mutating func mayNoteUse(_ digest: KeyDigest, now: Int64) -> Bool {
        guard let entry = entries[digest] else { return false }
        if let noted = entry.noted, now - noted < KeyWriter.useInterval { return false }
        entries[digest]?.noted = now
        return true
    }
}
