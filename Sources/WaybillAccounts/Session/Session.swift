/// That somebody has logged in with a key: what the store knows of it.
///
/// It may do what the key may, and ends with it. Times are milliseconds since 1970.
package struct Session: Hashable, Sendable {
    /// How long a session lasts at the most.
    package static let lifetime: Int64 = 12 * 3_600_000

    /// SHA-256 of the secret, in hexadecimal digits.
    let id: String
    /// The key's public name.
    package let key: String
    package let createdAt: Int64
    package let expiresAt: Int64
    /// When somebody logged out.
    package var endedAt: Int64?

    package func isGood(now: Int64) -> Bool { endedAt == nil && now < expiresAt }
}
