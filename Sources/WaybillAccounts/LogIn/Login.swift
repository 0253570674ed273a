/// That a person has logged in somewhere: what the store knows of it.
///
/// Times are milliseconds since 1970.
package struct Login: Hashable, Sendable {
    /// `log_` and 16 characters.
    package let id: String
    /// The account's id.
    package let account: String
    /// When the account's password had been changed last: another time there makes the log-in void.
    let passwordChangedAt: Int64
    package let createdAt: Int64
    package var endedAt: Int64?
    /// What the person calls the device or browser.
    package var name: String?
    /// `nil` where one refresh token holds until the log-in ends.
    package var family: Family?
    /// SHA-256 of the refresh token, in hexadecimal digits; empty in one that was not read from the store.
    var digest = ""
    /// When it ends because nobody has renewed it; `nil`: not by itself.
    var expiresAt: Int64?

    /// How far a family of refresh tokens has come.
    package struct Family: Hashable, Sendable {
        /// Of the current token.
        var number: Int64
        /// When it was given out.
        package var renewedAt: Int64
    }

    /// Whether its holder is let in.
    func isGood(for account: Account, now: Int64) -> Bool {
        endedAt == nil && expiresAt.map { now < $0 } != false && self.account == account.id
            && account.suspendedAt == nil
            && account.confirmedAt != nil && account.passwordChangedAt == passwordChangedAt
    }

    static func newID() -> String { "log_\(Base62.random(count: 16))" }
}

/// What somebody has after logging in.
///
/// No way of printing it shows a token.
package struct LoginTokens: Sendable {
    package let account: Account
    package let login: Login
    /// For protected routes, for an hour.
    package let access: String
    /// For new access tokens, until the log-in ends.
    package let refresh: String
}

extension LoginTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the tokens of a log-in" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
