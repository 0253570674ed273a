import WaybillDeviceRegistry
package import WaybillMongo
package import WaybillPassword

/// Gives an account another password, which ends all of its log-ins.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
package struct PasswordChange {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection
    private let devices: LoginDevices
    private let cost: PasswordCost

    package init(client: MongoClient, database: String, cost: PasswordCost) {
        collection = client.collection(database: database, name: Accounts.accounts)
        devices = LoginDevices(client: client, database: database)
        self.cost = cost
    }

    /// Changes it.
    ///
    /// Nobody is logged in by it.
    ///
    /// - Parameters:
    ///   - account: whose it is; whoever asks has shown that they may.
    ///   - password: the new one.
    ///   - login: the id of one that is carried on (``RefreshFamilies/carryOn(_:_:now:)``): its phones stay; `nil`: none is.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account as it is then; `nil` if it has gone, or its password was changed by somebody else meanwhile.
    /// - Throws: ``AccountFault``.
    package func change(
        _ account: Account,
        to password: PlainPassword,
        keeping login: String? = nil,
        now: Int64
    ) throws(AccountFault) -> Account? {
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
            writer.append("$set") { Self.set($0, hash, account, now: now) }
            writer.append("$unset") { Self.unset($0) }
        }
        do throws(MongoError) {
            let ended = login.map(LinkedLogins.allBut) ?? .all
            return try devices.ending(ended, of: account.id, now: now) { () throws(MongoError) in
                try collection.findOneAndUpdate(filter, update: update).flatMap(Account.init)
            }
        } catch {
            throw .store(error)
        }
    }

    /// Of an update: another password.
    static func set(_ set: BSONWriter, _ hash: PasswordHash, _ account: Account, now: Int64) {
        set.append(Field.password, string: hash.phc)
        // Later than before, whatever the clocks of two servers say: log-ins are void by it.
        set.append(Field.passwordChangedAt, date: max(now, account.passwordChangedAt + 1))
        set.append(Field.failures, int: 0)
        set.append(Field.tries, int64: account.tries.number + 1)
    }

    /// Of an update: the waits for the former password, and links that were asked for by whoever may have known it.
    static func unset(_ unset: BSONWriter) {
        unset.append(Field.nextTryAt, int: 1)
        unset.append(Field.resets, int: 1)
        unset.append(Field.addressChange, int: 1)
    }
}
