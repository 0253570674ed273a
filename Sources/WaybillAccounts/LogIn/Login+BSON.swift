import WaybillMongo

extension Login {
    private typealias Field = Accounts.LoginField

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let id = document["\(Field.id)"]?.string, let account = document["\(Field.account)"]?.string,
            let passwordChangedAt = document["\(Field.passwordChangedAt)"]?.date,
            let createdAt = document["\(Field.createdAt)"]?.date
        else { return nil }
        let number = document["\(Field.number)"]?.int
        let renewedAt = document["\(Field.renewedAt)"]?.date
        self.init(
            id: id,
            account: account,
            passwordChangedAt: passwordChangedAt,
            createdAt: createdAt,
            endedAt: document["\(Field.endedAt)"]?.date,
            name: document["\(Field.name)"]?.string,
            family: number.flatMap { number in renewedAt.map { Family(number: number, renewedAt: $0) } },
            digest: document["\(Field.digest)"]?.string ?? "",
            expiresAt: document["\(Field.expiresAt)"]?.date
        )
    }
}
