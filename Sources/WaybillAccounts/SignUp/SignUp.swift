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
    /// - Parameters:
    ///   - name: what somebody wants to be called.
    ///   - email: where they want to be written to.
    ///   - password: within the limits that the caller has.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account, in a majority's journal, and the token for the mail to its address.
    /// - Throws: ``SignUpProblem``; of two who want the same at once, one has it taken.
    package func register(_ name: AccountName, _ email: EmailAddress, _ password: PlainPassword, now: Int64)
        throws(SignUpProblem) -> (account: Account, token: ConfirmationToken)
    {
        // Before the hash, which costs more than asking.
        if try known({ () throws(MongoError) in try reader.account(name) }) { throw .nameTaken }
        if try known({ () throws(MongoError) in try reader.account(email) }) { throw .emailTaken }
        let hash: PasswordHash
        do throws(PasswordHashingError) {
            hash = try PasswordHash(password, cost: rules.cost)
        } catch {
            throw .fault(.hashing(error))
        }
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

    private func insert(_ account: Account, _ token: ConfirmationToken) throws(SignUpProblem) -> MongoBulkResult {
        do throws(MongoError) {
            let bulk = collection.bulk()
            try bulk.insert(account.document(confirmation: token.entry))
            return bulk.execute()
        } catch {
            throw .fault(.store(error))
        }
    }

    private func known(_ question: () throws(MongoError) -> Account?) throws(SignUpProblem) -> Bool {
        do throws(MongoError) {
            return try question() != nil
        } catch {
            throw .fault(.store(error))
        }
    }
}
