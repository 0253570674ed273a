import WaybillMongo

/// What a mail's link holds: good once, for one account.
///
/// No way of printing it shows it but ``reveal()``.
package struct ConfirmationToken: Sendable {
    private let text: String
    /// Names the mail that carries it: the same for each attempt to send it.
    package let id: String
    /// When it expires, in milliseconds since 1970.
    package let expiresAt: Int64
    let digest: SecretDigest
    /// What the store knows of it.
    let entry: BSONDocument

    /// - Parameters:
    ///   - kind: what it is for.
    ///   - account: whose address is asked.
    ///   - rules: of the installation.
    ///   - now: milliseconds since 1970.
    init(_ kind: TokenKind = .email, for account: Account, _ rules: AccountRules, now: Int64) {
        let id = Base62.random(count: 22)
        let lifetime = kind.lifetime ?? 0
        text = rules.signer.token(
            kind,
            TokenClaims(
                subject: account.id,
                username: account.name.text,
                issuedAt: now / 1000,
                expiresAt: now / 1000 + lifetime,
                id: id
            )
        )
        self.id = id
        expiresAt = (now / 1000 + lifetime + TokenVerifier.leeway) * 1000
        digest = SecretDigest(of: text)
        entry = Account.confirmation(digest, of: account, sentAt: now, expiresAt: expiresAt)
    }

    /// The token itself: for the mail alone.
    package func reveal() -> String { text }
}

extension ConfirmationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a confirmation's token" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
