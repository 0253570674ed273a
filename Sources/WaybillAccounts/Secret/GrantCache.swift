/// What a secret that somebody has shown stands for.
package struct AccessGrant: Hashable, Sendable {
    package var key: AccessKey
    /// The session that was begun with the key; `nil` where the key itself was shown.
    package var session: Session?

    package init(key: AccessKey, session: Session? = nil) {
        self.key = key
        self.session = session
    }

    /// Whether its holder is let in: a session ends with its key.
    package func isGood(now: Int64) -> Bool {
        key.isGood(now: now) && session.map { $0.isGood(now: now) } != false
    }
}

/// Keys and sessions that were found lately, so that not every request asks the store.
///
/// Only what was found is kept: a key that is made is good at once, and one that is revoked is believed for ``patience`` at most,
/// and by who may ask for ``grantOfOutage(_:now:)`` for ``outagePatience``.
/// Not safe to share: its owner has a lock.
package struct GrantCache {
    /// How long an answer holds, in milliseconds.
    package static let patience: Int64 = 30_000
    /// How long it holds while the store cannot say whether it still does, in milliseconds.
    package static let outagePatience: Int64 = 600_000
    private static let most = 1000

    private struct Entry {
        var grant: AccessGrant
        let time: Int64
        /// When its use was noted last.
        var noted: Int64?
    }

    private var entries: [SecretDigest: Entry] = [:]
    /// When what was ended here was ended: an answer of the store may be older than that.
    private var ended: [SecretDigest: Int64] = [:]

    package init() {}

    /// What a secret stands for, if it was found lately and is still good.
    package func grant(_ digest: SecretDigest, now: Int64) -> AccessGrant? {
        grant(digest, patience: Self.patience, now: now)
    }

    /// What a secret stood for when the store last said so, if that is not long ago and it has not ended by itself.
    ///
    /// For nothing but what must be told while the store does not answer: a revocation goes unheard meanwhile.
    package func grantOfOutage(_ digest: SecretDigest, now: Int64) -> AccessGrant? {
        grant(digest, patience: Self.outagePatience, now: now)
    }

    private func grant(_ digest: SecretDigest, patience: Int64, now: Int64) -> AccessGrant? {
        guard let entry = entries[digest], now - entry.time < patience, now >= entry.time,
            entry.grant.isGood(now: now)
        else { return nil }
        return entry.grant
    }

    /// Keeps what the store has answered, unless it was ended here meanwhile.
    package mutating func keep(_ grant: AccessGrant, _ digest: SecretDigest, now: Int64) {
        guard ended[digest] == nil else { return }
        if entries.count >= Self.most {
            for patience in [Self.outagePatience, Self.patience] where entries.count >= Self.most {
                entries = entries.filter { now - $0.value.time < patience }
            }
            if entries.count >= Self.most { entries.removeAll() }
        }
        entries[digest] = Entry(grant: grant, time: now, noted: entries[digest]?.noted ?? grant.key.lastUsedAt)
    }

    /// Forgets a session that was ended, and does not believe what was asked about it before that.
    package mutating func end(_ digest: SecretDigest, now: Int64) {
        entries[digest] = nil
        if ended.count >= Self.most { ended = ended.filter { now - $0.value < Self.patience } }
        ended[digest] = now
    }

    /// Forgets what the store does not know any more, or calls ended.
    package mutating func forget(_ digest: SecretDigest) { entries[digest] = nil }

    /// Whether a key's use is to be noted now; the next time after ``KeyWriter/useInterval``.
    package mutating func mayNoteUse(_ digest: SecretDigest, now: Int64) -> Bool {
        guard let entry = entries[digest] else { return false }
        if let noted = entry.noted, now - noted < KeyWriter.useInterval { return false }
        entries[digest]?.noted = now
        return true
    }
}
