/// How many keys there are of each kind, for those who watch over them.
package struct KeyTally: Hashable, Sendable {
    /// What is counted; each key is of one kind.
    package enum Kind: String, CaseIterable, Sendable {
        case live
        /// Good for two weeks at the most, and nothing has taken its place.
        case expiring
        case replaced
        case expired
        case revoked
    }

    /// How early somebody should hear of a key's end, in milliseconds.
    private static let notice: Int64 = 14 * 86_400_000

    private var counts: [Kind: Int] = [:]

    /// - Parameters:
    ///   - keys: all of them.
    ///   - now: in milliseconds since 1970.
    package init(_ keys: [AccessKey] = [], now: Int64 = 0) {
        for key in keys {
            let kind: Kind =
                switch key.state(now: now) {
                case .live: key.expiresAt.map { $0 - now <= Self.notice } == true ? .expiring : .live
                case .replaced: .replaced
                case .expired: .expired
                case .revoked: .revoked
                }
            counts[kind, default: 0] += 1
        }
    }

    package subscript(kind: Kind) -> Int { counts[kind] ?? 0 }
}
