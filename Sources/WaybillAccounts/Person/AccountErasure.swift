import WaybillMongo

/// Takes everything personal out of an account's document; its name and its address are free at once.
///
/// The document goes when the TTL index erases it.
struct AccountErasure {
    private typealias Field = Accounts.AccountField

    private static let maximumTime = Duration.seconds(5)

    private let accounts: MongoCollection

    init(_ accounts: MongoCollection) {
        self.accounts = accounts
    }

    /// Erases an account.
    func erase(_ account: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { $0.append(Field.id, string: account) }
        _ = try accounts.findOneAndUpdate(filter, update: Self.update(account, now: now))
    }

    /// Erases the account that has signed up with an address and has not shown that it is theirs: somebody else has.
    ///
    /// - Returns: whether there was one.
    /// - Throws: what the store says.
    func eraseUnconfirmed(_ email: EmailAddress, now: Int64) throws(MongoError) -> Bool {
        func unconfirmed(_ writer: BSONWriter) {
            writer.append(Field.emailKey, string: email.key)
            writer.append(Field.confirmedAt) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        guard let id = try accounts.findOne(BSONDocument(unconfirmed), options: options)?["\(Field.id)"]?.string else {
            return false
        }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            unconfirmed(writer)
        }
        return try accounts.findOneAndUpdate(filter, update: Self.update(id, now: now)) != nil
    }

    private static func update(_ account: String, now: Int64) -> BSONDocument {
        let personal = [
            Field.username, Field.email, Field.password, Field.confirmations, Field.resets, Field.addressChange,
            Field.formerAddresses, Field.quietHours, Field.deletionAskedAt, Field.deletionRequest,
        ]
        return BSONDocument { writer in
            writer.append("$set") { set in
                // Unique, as an index demands of each.
                set.append(Field.usernameKey, string: account)
                set.append(Field.emailKey, string: account)
                set.append(Field.expiresAt, date: now)
            }
            writer.append("$unset") { unset in for field in personal { unset.append(field, int: 1) } }
        }
    }
}
