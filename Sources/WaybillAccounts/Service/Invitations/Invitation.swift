import WaybillMongo

/// That somebody may belong to a service if they want to: once, for a week.
///
/// Times are milliseconds since 1970.
package struct Invitation: Hashable, Sendable {
    /// How long it holds, in milliseconds.
    package static let lifetime: Int64 = 7 * 86_400_000

    /// Its public name: `inv_` and 16 characters.
    package let id: String
    package let service: String
    /// As what; never as an owner.
    package let role: ServiceRole
    /// Where its mail went; `nil`: it is a link that its maker hands on.
    package let email: EmailAddress?
    /// The account's id: as long as that may invite, this holds.
    package let createdBy: String
    package let createdAt: Int64
    /// When it ends.
    package let endsAt: Int64
}

extension Invitation {
    private typealias Field = ServiceLayout.InvitationField

    /// Reads a document; `nil` for one that is not whole, or was answered.
    init?(_ document: BSONDocument) {
        guard document["\(Field.answeredBy)"] == nil, let id = document["\(Field.id)"]?.string,
            let service = document["\(Field.service)"]?.string,
            let role = document["\(Field.role)"]?.string.flatMap(ServiceRole.init), role != .owner,
            let createdBy = document["\(Field.createdBy)"]?.string,
            let createdAt = document["\(Field.createdAt)"]?.date, let endsAt = document["\(Field.expiresAt)"]?.date
        else { return nil }
        self.init(
            id: id,
            service: service,
            role: role,
            email: document["\(Field.email)"]?.string.flatMap(EmailAddress.init),
            createdBy: createdBy,
            createdAt: createdAt,
            endsAt: endsAt
        )
    }

    func document(_ digest: SecretDigest) -> BSONWriter {
        let writer = BSONWriter(capacity: 512)
        writer.append(Field.id, string: id)
        writer.append(Field.service, string: service)
        writer.append(Field.digest, string: digest.hexadecimal)
        writer.append(Field.role, string: role.rawValue)
        if let email {
            writer.append(Field.email, string: email.text)
            writer.append(Field.emailKey, string: email.key)
        }
        writer.append(Field.createdBy, string: createdBy)
        writer.append(Field.createdAt, date: createdAt)
        writer.append(Field.expiresAt, date: endsAt)
        return writer
    }
}
