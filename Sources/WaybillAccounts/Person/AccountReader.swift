package import WaybillMongo

/// Reads accounts.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AccountReader {
    private typealias Field = Accounts.AccountField

    static let maximumTime = Duration.seconds(5)

    let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.accounts)
    }

    /// The account with this id.
    package func account(id: String) throws(MongoError) -> Account? { try first(Field.id, id) }

    /// The account with this name, however it is capitalized.
    package func account(_ name: AccountName) throws(MongoError) -> Account? { try first(Field.usernameKey, name.key) }

    /// The account with this address, however it is capitalized.
    package func account(_ email: EmailAddress) throws(MongoError) -> Account? { try first(Field.emailKey, email.key) }

    /// The account that somebody names by what is typed into one field: its name or its address.
    ///
    /// - Returns: `nil` also for what can be neither.
    package func account(called text: String) throws(MongoError) -> Account? {
        if let name = AccountName(text) { return try account(name) }
        if let email = EmailAddress(text) { return try account(email) }
        return nil
    }

    /// Which of these accounts are there and may be used, and when their phones are to be silent.
    ///
    /// - Parameter ids: of accounts.
    /// - Returns: those of them that nobody has suspended, deleted or erased.
    /// - Throws: what the store says.
    func quietHours(ofUsable ids: [String]) throws(MongoError) -> [String: PersonalQuietHours?] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { condition in
                condition.append(anyOf: ids)
            }
            writer.append(Field.suspendedAt) { $0.append("$exists", bool: false) }
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(
            limit: ids.count,
            projection: BSONDocument { projection in
                projection.append(Field.id, int: 1)
                projection.append(Field.quietHours, int: 1)
            },
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        var found: [String: PersonalQuietHours?] = [:]
        for document in try collection.find(filter, options: options).all() {
            guard let id = document["\(Field.id)"]?.string else { continue }
            found.updateValue(PersonalQuietHours(document["\(Field.quietHours)"]), forKey: id)
        }
        return found
    }

    /// What accounts are called; those that have gone are left out.
    ///
    /// - Parameter ids: of accounts.
    /// - Returns: the names by the accounts' ids.
    /// - Throws: what the store says.
    package func names(of ids: [String]) throws(MongoError) -> [String: AccountName] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { condition in
                condition.append(anyOf: ids)
            }
        }
        let options = MongoFindOptions(
            limit: ids.count,
            projection: BSONDocument { $0.append(Field.username, int: 1) },
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        var names: [String: AccountName] = [:]
        for document in try collection.find(filter, options: options).all() {
            guard let id = document["\(Field.id)"]?.string else { continue }
            names[id] = document["\(Field.username)"]?.string.flatMap(AccountName.init)
        }
        return names
    }

    /// When somebody's phones are to be silent; `nil`: never.
    package func quietHours(of id: String) throws(MongoError) -> PersonalQuietHours? {
        try quietHours(ofUsable: [id])[id].flatMap { $0 }
    }

    /// Changes when somebody's phones are to be silent.
    ///
    /// - Parameters:
    ///   - hours: `nil`: never.
    ///   - id: the account's.
    /// - Throws: when it is not known to be durable.
    package func setQuietHours(_ hours: PersonalQuietHours?, of id: String) throws(MongoError) {
        let update = BSONDocument { writer in
            if let hours {
                writer.append("$set") { hours.write($0) }
            } else {
                writer.append("$unset") { $0.append(Field.quietHours, int: 1) }
            }
        }
        _ = try collection.findOneAndUpdate(BSONDocument { $0.append(Field.id, string: id) }, update: update)
    }

    private func first(_ field: StaticString, _ value: String) throws(MongoError) -> Account? {
        let filter = BSONDocument { $0.append(field, string: value) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Account.init)
    }
}
