import WaybillDeviceRegistry
package import WaybillMongo
package import WaybillPassword

/// Why a link has not given an account another password.
package enum PasswordResetProblem: Error, MailTokenProblem, Hashable, Sendable {
    /// It is no token of a mail of this installation.
    case unreadable
    /// It was used, or its hour is over, or later mails have taken its place, or its account has gone.
    case expired
    /// The password is the account's own name or address, or the like; the link holds still.
    case guessable
    case fault(AccountFault)
}

/// Gives an account another password by a mail to its address, which shows that the address is theirs, too.
///
/// All log-ins of the account end by it, and its phones are told nothing until somebody logs in there.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
package struct PasswordReset {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection
    private let devices: LoginDevices
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        devices = LoginDevices(client: client, database: database)
        self.rules = rules
    }

    /// Makes a token for a mail.
    ///
    /// - Parameters:
    ///   - account: whose password it is.
    ///   - now: milliseconds since 1970.
    /// - Returns: the token, whose digest is in a majority's journal; `nil` where three mails have gone within the hour.
    /// - Throws: what the store says.
    package func begin(_ account: Account, now: Int64) throws(MongoError) -> ConfirmationToken? {
        let token = ConfirmationToken(.reset, for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            MailPace.resets.require(writer, now: now)
        }
        let update = BSONDocument { MailPace.resets.push($0, token.entry) }
        return try collection.findOneAndUpdate(filter, update: update) == nil ? nil : token
    }

    /// Changes the password; of several who show the same token, one does.
    ///
    /// - Parameters:
    ///   - text: what the link holds.
    ///   - password: the new one, within the limits that the caller has.
    ///   - neighbourhood: of the address that they ask from: it is one of the owner's from then on.
    ///   - now: milliseconds since 1970.
    ///   - isGuessable: whether it is one of those that somebody tries first who knows whose account it is.
    /// - Returns: the account as it is then.
    /// - Throws: ``PasswordResetProblem``.
    package func use(
        _ text: String,
        _ password: PlainPassword,
        from neighbourhood: String,
        now: Int64,
        refusing isGuessable: (Account) -> Bool = { _ in false }
    ) throws(PasswordResetProblem) -> Account {
        let claims = try rules.claims(.reset, text, now: now, orThrow: PasswordResetProblem.self)
        // Before the hash, which costs more than asking.
        let digest = SecretDigest(of: text)
        let holder = try stored { () throws(MongoError) in try self.holder(claims.subject, digest, now: now) }
        guard let account = holder else { throw .expired }
        if isGuessable(account) { throw .guessable }
        let hash: PasswordHash
        do throws(PasswordHashingError) {
            hash = try PasswordHash(password, cost: rules.cost)
        } catch {
            throw .fault(.hashing(error))
        }
        let changed = try stored { () throws(MongoError) in
            try change(account, digest, hash, from: neighbourhood, now: now)
        }
        guard let changed else { throw .expired }
        return changed
    }

    /// The account to which the mail with a token went, while that holds.
    private func holder(_ id: String, _ digest: SecretDigest, now: Int64) throws(MongoError) -> Account? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            MailPace.resets.require(writer, digest, now: now)
        }
        let options = MongoFindOptions(limit: 1, maximumTime: AccountReader.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Account.init)
    }

    /// Finding the token and marking it as used are one step.
    private func change(
        _ account: Account,
        _ digest: SecretDigest,
        _ hash: PasswordHash,
        from neighbourhood: String,
        now: Int64
    ) throws(MongoError) -> Account? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            MailPace.resets.require(writer, digest, now: now)
        }
        // Whoever knew the password before it is a stranger.
        var tries = PasswordTries()
        tries.settle(rules.place(neighbourhood, of: account.id), now: now)
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                PasswordChange.set(set, hash, account, now: now)
                set.append(Field.places, array: tries.write)
                set.append(Field.confirmedAt, date: account.confirmedAt ?? now)
            }
            writer.append("$unset") { unset in
                PasswordChange.unset(unset)
                unset.append(Field.confirmations, int: 1)
                unset.append(Field.expiresAt, int: 1)
            }
        }
        return try devices.ending(.all, of: account.id, now: now) { () throws(MongoError) in
            try collection.findOneAndUpdate(filter, update: update).flatMap(Account.init)
        }
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(PasswordResetProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .fault(.store(error))
        }
    }
}
