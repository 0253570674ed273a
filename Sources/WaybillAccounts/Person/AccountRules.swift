import WaybillEncoding
package import WaybillPassword
import WaybillTLS

/// What an installation has decided on people's accounts.
package struct AccountRules: Sendable {
    /// Tokens are signed with them.
    package let keys: TokenKeys
    /// The address of this installation, such as `https://push.example.com`: what links in mails begin with, and the claim `iss`.
    package let issuer: String
    /// What a new hash costs.
    package let cost: PasswordCost

    package init(keys: TokenKeys, issuer: String, cost: PasswordCost = PasswordCost()) {
        self.keys = keys
        self.issuer = issuer
        self.cost = cost
    }

    package var signer: TokenSigner { TokenSigner(keys: keys, issuer: issuer) }
    package var verifier: TokenVerifier { TokenVerifier(keys: keys, issuer: issuer) }

    /// An access token.
    func access(_ account: Account, _ login: Login, lifetime: Int64, now: Int64) -> String {
        signer.token(
            .access,
            TokenClaims(
                subject: account.id,
                username: account.name.text,
                issuedAt: now / 1000,
                expiresAt: now / 1000 + lifetime,
                id: Base62.random(count: 22),
                login: login.id,
                passwordMark: account.passwordMark
            )
        )
    }

    /// What stands for where somebody tries an account's password.
    ///
    /// - Parameters:
    ///   - neighbourhood: of addresses; `nil`: it is whoever holds a token of the account.
    ///   - account: the account's id.
    /// - Returns: of no two accounts the same.
    func place(_ neighbourhood: String?, of account: String) -> String {
        guard let neighbourhood else { return PasswordTries.holder }
        let code = HMACSHA256.authenticate(Array("\(account) \(neighbourhood)".utf8), key: keys.places)
        return Hexadecimal.text(of: code.withUnsafeBytes { Array($0.prefix(16)) })
    }

    /// What stands for an address where the address must not: the same each time, and nobody without the secret finds it out.
    package func pseudonym(of email: EmailAddress) -> String {
        let code = HMACSHA256.authenticate(Array(email.key.utf8), key: keys.pseudonyms)
        return Hexadecimal.text(of: code.withUnsafeBytes { Array($0.prefix(16)) })
    }
}
