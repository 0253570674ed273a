import WaybillMongo
import WaybillPassword

extension Account {
    private typealias Field = Accounts.AccountField

    /// Reads a document; `nil` for one that is not whole, or whose deletion is decided.
    init?(_ document: BSONDocument) {
        guard !AccountStanding(document).isGone else { return nil }
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        guard let id = text(Field.id), let name = text(Field.username).flatMap(AccountName.init),
            let email = text(Field.email).flatMap(EmailAddress.init), let password = text(Field.password),
            let passwordChangedAt = date(Field.passwordChangedAt), let createdAt = date(Field.createdAt)
        else { return nil }
        self.init(
            id: id,
            name: name,
            email: email,
            password: PasswordHash(phc: password),
            passwordChangedAt: passwordChangedAt,
            createdAt: createdAt,
            confirmedAt: date(Field.confirmedAt),
            suspendedAt: date(Field.suspendedAt),
            tries: PasswordTries(document)
        )
    }

    /// The document of an account that nobody has confirmed.
    ///
    /// - Parameter confirmation: what ``confirmation(_:of:sentAt:expiresAt:)`` makes of the first mail's token.
    /// - Returns: the document for the store.
    func document(confirmation: BSONDocument) -> BSONWriter {
        let writer = BSONWriter(capacity: 512)
        writer.append(Field.id, string: id)
        setSignUp(writer)
        writer.append(Field.confirmations, array: { $0.append(document: confirmation) })
        return writer
    }

    /// What signing up sets of an account that nobody has confirmed.
    func setSignUp(_ writer: BSONWriter) {
        writer.append(Field.username, string: name.text)
        writer.append(Field.usernameKey, string: name.key)
        writer.append(Field.email, string: email.text)
        writer.append(Field.emailKey, string: email.key)
        writer.append(Field.password, string: password.phc)
        writer.append(Field.passwordChangedAt, date: passwordChangedAt)
        writer.append(Field.createdAt, date: createdAt)
        writer.append(Field.expiresAt, date: createdAt + Self.confirmationTime)
        writer.append(Field.failures, int: 0)
        writer.append(Field.places, array: { _ in })
    }

    /// What the store knows of a mail's token.
    static func confirmation(
        _ digest: SecretDigest,
        of account: Account,
        sentAt: Int64,
        expiresAt: Int64
    ) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.digest, string: digest.hexadecimal)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            writer.append(Field.sentAt, date: sentAt)
            writer.append(Field.expiresAt, date: expiresAt)
        }
    }
}
