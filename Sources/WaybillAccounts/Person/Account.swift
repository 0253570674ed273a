package import WaybillPassword
import WaybillTLS

/// A person's account: what the store knows of it.
///
/// Times are milliseconds since 1970.
package struct Account: Hashable, Sendable {
    /// `acc_` and 16 characters: what others say instead of the name.
    package let id: String
    package let name: AccountName
    package let email: EmailAddress
    package var password: PasswordHash
    /// Every log-in and every access token from before it is void.
    package var passwordChangedAt: Int64
    package let createdAt: Int64
    /// When somebody showed that the address is theirs; `nil`: nobody has.
    package var confirmedAt: Int64?
    /// When an operator suspended it; `nil`: it is not.
    package var suspendedAt: Int64?
    /// How its password was tried lately.
    var tries = PasswordTries()

    static func newID() -> String { "acc_\(Base62.random(count: 16))" }

    /// How long an account that nobody confirms keeps its name and address from others.
    package static let confirmationTime: Int64 = 7 * 86_400_000

    /// Whether a token of the account is as good as its signature.
    func honours(_ claims: TokenClaims) -> Bool {
        suspendedAt == nil && confirmedAt != nil && claims.subject == id && claims.passwordMark == passwordMark
    }

    /// What its tokens say of its name and password (the thesis' `userstring`): another one when the password changes.
    var passwordMark: String {
        SHA256Hasher.digest(of: Array("\(name.key) \(passwordChangedAt)".utf8)).hexadecimal
    }
}
