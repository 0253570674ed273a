package import WaybillThreads

/// The provider tokens that each key has shown on any connection, where updates are counted together.
///
/// Lives on the server's thread.
package final class ProviderTokenHistory {
    private struct Entry {
        var headers: [[UInt8]] = []
        var newest: MonotonicTime
    }

    private struct Key: Hashable {
        let keyID: String
        let teamID: String
    }

    private var entries: [Key: Entry] = [:]
    /// How many tokens of a key stay known: more than can be in use at one time.
    private static let knownTokens = 16

    package init() {}

    /// Whether a token may be used: it is known, or the newest one of its key is old enough to be followed.
    ///
    /// A token that may is known from here on.
    package func admits(
        _ token: ProviderToken,
        header: ArraySlice<UInt8>,
        time: MonotonicTime,
        interval: Duration
    ) -> Bool {
        let key = Key(keyID: token.keyID, teamID: token.teamID)
        var entry = entries[key] ?? Entry(newest: time)
        if entry.headers.contains(where: { $0.elementsEqual(header) }) { return true }
        guard entry.headers.isEmpty || time.duration(since: entry.newest) >= interval else { return false }
        entry.headers = entry.headers.suffix(Self.knownTokens - 1) + [Array(header)]
        entry.newest = time
        entries[key] = entry
        return true
    }
}
