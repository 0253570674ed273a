package import WaybillMongo
package import WaybillPassword

/// Why nobody has been signed up.
package enum SignUpProblem: Error, Hashable, Sendable {
    case nameTaken
    case emailTaken
    case fault(AccountFault)
}

/// Makes accounts.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
package struct SignUp {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection
    private let reader: AccountReader
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        reader = AccountReader(client: client, database: database)
        self.rules = rules
    }

    /// Makes an account that waits for its confirmation.
    ///
    /// It takes the place of one with this address that waits for that, too, whose links are void then: whoever signs up with an
    /// address of somebody else does not keep them out. Somebody whose own sign-up was replaced so, and who presses the button of the
    /// later mail, confirms the account of whoever replaced it: an app that asks for the password then
    /// (``AddressConfirmation/confirm(_:_:from:now:)``) keeps them from that. Three mails an hour go so at the most; after them the
    /// address is taken.
    ///
    /// - Parameters:
    ///   - name: what somebody wants to be called.
    ///   - email: where they want to be written to.
    ///   - password: within the limits that the caller has.
    ///   - replacing: whether an account that waits gives way; `false`: its name and its address are taken.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account, in a majority's journal, and the token for the mail to its address.
    /// - Throws: ``SignUpProblem``; of two who want the same at once, one has it taken.
    package func register(
        _ name: AccountName,
        _ email: EmailAddress,
        _ password: PlainPassword,
        replacing: Bool = true,
        now: Int64
    ) throws(SignUpProblem) -> (account: Account, token: ConfirmationToken) {
        // Before the hash, which costs more than asking.
        let holder = try known { () throws(MongoError) in try reader.account(email) }
        let isWaiting = replacing && (holder.map { $0.confirmedAt == nil && $0.suspendedAt == nil } ?? false)
        if let named = try known({ () throws(MongoError) in try reader.account(name) }) {
            guard isWaiting, named.id == holder?.id else { throw .nameTaken }
        }
        if holder != nil, !isWaiting { throw .emailTaken }
        let hash: PasswordHash
        do throws(PasswordHashingError) {
            hash = try PasswordHash(password, cost: rules.cost)
        } catch {
            throw .fault(.hashing(error))
        }
        if let holder { return try replace(holder, name, email, hash, now: now) }
        let account = Account(
            id: Account.newID(),
            name: name,
            email: email,
            password: hash,
            passwordChangedAt: now,
            createdAt: now
        )
        let token = ConfirmationToken(for: account, rules, now: now)
        let result = try insert(account, token)
        let refused = result.writeErrors.first { $0.isDuplicateKey }?.message ?? ""
        if refused.hasSuffix(" index: \(AccountsIndexes.usernameName)") { throw .nameTaken }
        if refused.hasSuffix(" index: \(AccountsIndexes.emailName)") { throw .emailTaken }
        do throws(MongoError) {
            try result.requireDurable("write to \(Accounts.accounts)")
        } catch {
            throw .fault(.store(error))
        }
        return (account, token)
    }

    /// Makes an account that nobody has confirmed somebody else's.
    private func replace(
        _ holder: Account,
        _ name: AccountName,
        _ email: EmailAddress,
        _ password: PasswordHash,
        now: Int64
    ) throws(SignUpProblem) -> (account: Account, token: ConfirmationToken) {
        let account = Account(
            id: holder.id,
            name: name,
            email: email,
            password: password,
            // Later than before, whatever the clocks of two servers say: links are void by it.
            passwordChangedAt: max(now, holder.passwordChangedAt + 1),
            createdAt: now
        )
        let token = ConfirmationToken(for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: holder.id)
            writer.append(Field.confirmedAt) { $0.append("$exists", bool: false) }
            writer.append(Field.passwordChangedAt, date: holder.passwordChangedAt)
            MailPace.confirmations.require(writer, now: now)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { account.setSignUp($0) }
            writer.append("$unset") { $0.append(Field.nextTryAt, int: 1) }
            writer.append("$inc") { $0.append(Field.tries, int64: 1) }
            MailPace.confirmations.push(writer, token.entry)
        }
        let replaced: Account?
        do throws(MongoError) {
            replaced = try collection.findOneAndUpdate(filter, update: update).flatMap(Account.init)
        } catch {
            // Somebody else has taken the name at the same moment.
            throw error.code == .duplicateKey ? .nameTaken : .fault(.store(error))
        }
        guard let replaced else { throw .emailTaken }
        return (replaced, token)
    }

    private func insert(_ account: Account, _ token: ConfirmationToken) throws(SignUpProblem) -> MongoBulkResult {
        do throws(MongoError) {
            let bulk = collection.bulk()
            try bulk.insert(account.document(confirmation: token.entry))
            return bulk.execute()
        } catch {
            throw .fault(.store(error))
        }
    }

    private func known(_ question: () throws(MongoError) -> Account?) throws(SignUpProblem) -> Account? {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .fault(.store(error))
        }
    }
}
