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
