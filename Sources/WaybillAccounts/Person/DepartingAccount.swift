package import WaybillMongo

/// An account whose deletion is decided, and not done yet.
package struct DepartingAccount: Hashable, Sendable {
    package let id: String
    /// Where its person is told; `nil` where the store has no address that can be written to: it ends all the same.
    package let email: EmailAddress?
    /// The id of the request by which it was asked for.
    package let request: String
    /// When it was decided, in milliseconds since 1970: whoever does what is left tells of that moment, so that it is the same.
    package let decidedAt: Int64

    /// Reads a document of an account; `nil` where nothing is decided, or all is done.
    package init?(_ document: BSONDocument) {
        typealias Field = Accounts.AccountField
        guard let deletion = document["\(Field.deletion)"]?.document,
            let decidedAt = deletion["\(Field.decidedAt)"]?.date,
            let request = deletion["\(Field.request)"]?.string, let id = document["\(Field.id)"]?.string
        else { return nil }
        self.id = id
        email = document["\(Field.email)"]?.string.flatMap(EmailAddress.init)
        self.request = request
        self.decidedAt = decidedAt
    }
}
