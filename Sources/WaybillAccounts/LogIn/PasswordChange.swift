package import WaybillMongo
package import WaybillPassword

/// Gives an account another password, which ends all of its log-ins.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
package struct PasswordChange {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection
    private let cost: PasswordCost

    package init(client: MongoClient, database: String, cost: PasswordCost) {
        collection = client.collection(database: database, name: Accounts.accounts)
        self.cost = cost
    }

    /// Changes it.
    ///
    /// Nobody is logged in by it.
    ///
    /// - Parameters:
    ///   - account: whose it is; whoever asks has shown that they may.
    ///   - password: the new one.
    ///   - now: milliseconds since 1970.
    /// - Returns: false if the account has gone, or its password was changed by somebody else meanwhile.
    /// - Throws: ``AccountFault``.
    package func change(_ account: Account, to password: PlainPassword, now: Int64) throws(AccountFault) -> Bool {
        let hash: PasswordHash
        do throws(PasswordHashingError) {
            hash = try PasswordHash(password, cost: cost)
        } catch {
            throw .hashing(error)
        }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.password, string: hash.phc)
                // Later than before, whatever the clocks of two servers say: log-ins are void by it.
                set.append(Field.passwordChangedAt, date: max(now, account.passwordChangedAt + 1))
                set.append(Field.failures, int: 0)
            }
            writer.append("$unset") { $0.append(Field.nextTryAt, int: 1) }
        }
        do throws(MongoError) {
            return try collection.findOneAndUpdate(filter, update: update) != nil
        } catch {
            throw .store(error)
        }
    }
}
