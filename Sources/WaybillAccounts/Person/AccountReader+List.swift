package import WaybillMongo

extension AccountReader {
    /// Accounts, the latest first.
    ///
    /// - Parameters:
    ///   - state: those in this state alone; `nil`: all.
    ///   - limit: how many at the most.
    /// - Returns: the accounts.
    /// - Throws: what the store says.
    package func accounts(_ state: AccountState? = nil, limit: Int) throws(MongoError) -> [Account] {
        let filter = BSONDocument { writer in
            switch state {
            case nil: break
            case .unconfirmed:
                writer.append(Accounts.AccountField.confirmedAt) { $0.append("$exists", bool: false) }
                writer.append(Accounts.AccountField.suspendedAt) { $0.append("$exists", bool: false) }
            case .active:
                writer.append(Accounts.AccountField.confirmedAt) { $0.append("$exists", bool: true) }
                writer.append(Accounts.AccountField.suspendedAt) { $0.append("$exists", bool: false) }
            case .suspended:
                writer.append(Accounts.AccountField.suspendedAt) { $0.append("$exists", bool: true) }
            }
        }
        let cursor = collection.find(
            filter,
            options: MongoFindOptions(
                sort: BSONDocument { $0.append(Accounts.AccountField.createdAt, int: -1) },
                limit: limit,
                maximumTime: Self.maximumTime,
                readsMajority: true
            )
        )
        var accounts: [Account] = []
        while let document = try cursor.next() {
            if let account = Account(document) { accounts.append(account) }
        }
        return accounts
    }
}
