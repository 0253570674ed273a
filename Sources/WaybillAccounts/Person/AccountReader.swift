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
    /// - Returns: those of them that nobody has suspended or erased.
    /// - Throws: what the store says.
    func quietHours(ofUsable ids: [String]) throws(MongoError) -> [String: PersonalQuietHours?] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { condition in
                condition.append("$in", array: { array in for id in ids { array.append(string: id) } })
            }
            writer.append(Field.suspendedAt) { $0.append("$exists", bool: false) }
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

    private func first(_ field: StaticString, _ value: String) throws(MongoError) -> Account? {
        let filter = BSONDocument { $0.append(field, string: value) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Account.init)
    }
}
