package import WaybillMongo

/// An account whose deletion is decided, and not done yet.
package struct DepartingAccount: Hashable, Sendable {
    package let id: String
    /// Where its person is told.
    package let email: EmailAddress
    /// The id of the request by which it was asked for.
    package let request: String

    /// Reads a document of an account; `nil` where nothing is decided, or all is done.
    package init?(_ document: BSONDocument) {
        typealias Field = Accounts.AccountField
        guard let deletion = document["\(Field.deletion)"]?.document, deletion["\(Field.decidedAt)"] != nil,
            let request = deletion["\(Field.request)"]?.string, let id = document["\(Field.id)"]?.string,
            let email = document["\(Field.email)"]?.string.flatMap(EmailAddress.init)
        else { return nil }
        self.id = id
        self.email = email
        self.request = request
    }
}
