/// What the store knows of a key: whose it is, what it may do, and how long it holds.
///
/// Never the key itself.
/// Times are milliseconds since 1970.
package struct AccessKey: Hashable, Sendable {
    /// Its public name: `key_` and ten characters.
    package let id: String
    package let mode: KeySecret.Mode
    package let lastFour: String
    /// What it is for.
    package var name: String
    package var role: Role
    /// Whose records it sees.
    package var clients: ClientScope
    package let createdBy: String
    package let createdAt: Int64
    /// When it ends; `nil`: not by itself.
    package var expiresAt: Int64?
    package var lastUsedAt: Int64?
    /// The key that it was rotated to.
    package var replacedBy: String?
    package var revokedAt: Int64?

    package enum State: String, Sendable {
        case live
        /// Still good for a while: another one has taken its place.
        case replaced
        case expired
        case revoked
    }

    package func state(now: Int64) -> State {
        if let revokedAt, revokedAt <= now { return .revoked }
        if let expiresAt, expiresAt <= now { return .expired }
        return replacedBy == nil ? .live : .replaced
    }

    /// Whether its holder is let in.
    package func isGood(now: Int64) -> Bool {
        switch state(now: now) {
        case .live, .replaced: true
        case .expired, .revoked: false
        }
    }

    /// As its holder knows it: `wbk_live_…abcd`.
    package var shown: String { "\(KeySecret.prefix(mode))…\(lastFour)" }

    static func newID() -> String { "key_" + Base62.random(count: 10) }
}
