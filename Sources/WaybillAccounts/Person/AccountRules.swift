package import WaybillPassword

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
}
