/// What a token says of its holder.
///
/// Times are seconds since 1970.
package struct TokenClaims: Hashable, Sendable {
    /// The account's id.
    package var subject: String
    /// The account's name; a token without it is one that this server does not make.
    package var username: String?
    package var issuedAt: Int64
    /// `nil` in a token that ends with its log-in.
    package var expiresAt: Int64?
    /// The token's own id: no two are alike.
    package var id: String
    /// The log-in that it was issued for.
    package var login: String?
    /// In a refresh token, what its account's name and password were (`userstring`).
    package var passwordMark: String?

    package init(
        subject: String,
        username: String?,
        issuedAt: Int64,
        expiresAt: Int64? = nil,
        id: String,
        login: String? = nil,
        passwordMark: String? = nil
    ) {
        self.subject = subject
        self.username = username
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.id = id
        self.login = login
        self.passwordMark = passwordMark
    }
}
