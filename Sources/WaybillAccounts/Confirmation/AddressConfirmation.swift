package import WaybillMongo
package import WaybillPassword

/// Why an address has not been confirmed.
package enum ConfirmationProblem: Error, MailTokenProblem, Hashable, Sendable {
    /// It is no token of a mail of this installation.
    case unreadable
    case alreadyConfirmed
    /// Its day is over, or later mails or another sign-up have taken its place, or its account has gone.
    case expired
    case store(MongoError)
}

/// Why an address has not been confirmed by whoever says its account's password.
package enum OwnConfirmationProblem: Error, Hashable, Sendable {
    case confirmation(ConfirmationProblem)
    /// The account has another password, or waits after others that were wrong.
    case logIn(LogInProblem)
}

/// Finds out whether an address is that of whoever gave it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AddressConfirmation {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection
    private let reader: AccountReader
    private let logIn: LogIn
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        reader = AccountReader(client: client, database: database)
        logIn = LogIn(client: client, database: database, rules: rules)
        self.rules = rules
    }

    /// Makes a token for another mail.
    ///
    /// - Parameters:
    ///   - account: whose address is asked; it was not confirmed a moment ago.
    ///   - now: milliseconds since 1970.
    /// - Returns: the token, whose digest is in a majority's journal; `nil` where the address is confirmed meanwhile, or has been
    ///   written to three times within the hour.
    /// - Throws: what the store says.
    package func renew(_ account: Account, now: Int64) throws(MongoError) -> ConfirmationToken? {
        let token = ConfirmationToken(for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.confirmedAt) { $0.append("$exists", bool: false) }
            MailPace.confirmations.require(writer, now: now)
        }
        let update = BSONDocument { MailPace.confirmations.push($0, token.entry) }
        return try collection.findOneAndUpdate(filter, update: update) == nil ? nil : token
    }

    /// Confirms an address for whoever knows the password of its account: it is not the account of somebody else who has signed up
    /// with the address meanwhile.
    ///
    /// - Parameters:
    ///   - text: what the link holds.
    ///   - password: what somebody has typed; `nil` for what no password can be.
    ///   - neighbourhood: of the address that they ask from.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account, whose confirmation is in a majority's journal.
    /// - Throws: ``OwnConfirmationProblem``; the token holds still where the password is wrong.
    package func confirm(
        _ text: String,
        _ password: PlainPassword?,
        from neighbourhood: String,
        now: Int64
    ) throws(OwnConfirmationProblem) -> Account {
        let account: Account?
        do throws(ConfirmationProblem) {
            let claims = try rules.claims(.email, text, now: now, orThrow: ConfirmationProblem.self)
            do throws(MongoError) {
                account = try reader.account(id: claims.subject)
            } catch {
                throw .store(error)
            }
        } catch {
            throw .confirmation(error)
        }
        if let account, account.confirmedAt == nil {
            do throws(LogInProblem) {
                _ = try logIn.check(account, password, from: neighbourhood, now: now)
            } catch {
                throw .logIn(error)
            }
        }
        do throws(ConfirmationProblem) {
            // With another sign-up since then the token is void.
            return try confirm(text, from: neighbourhood, now: now)
        } catch {
            throw .confirmation(error)
        }
    }

    /// Confirms an address; of several who show the same token, one does.
    ///
    /// It does not say that whoever shows the token has signed up: ``confirm(_:_:from:now:)`` does.
    ///
    /// - Parameters:
    ///   - text: what the link holds.
    ///   - neighbourhood: of the address that they ask from: it is one of the owner's from then on.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account, whose confirmation is in a majority's journal.
    /// - Throws: ``ConfirmationProblem``.
    package func confirm(
        _ text: String,
        from neighbourhood: String,
        now: Int64
    ) throws(ConfirmationProblem) -> Account {
        let claims = try rules.claims(.email, text, now: now, orThrow: ConfirmationProblem.self)
        let (account, isKnown): (Account?, Bool)
        do throws(MongoError) {
            let asked = try reader.account(id: claims.subject)
            account = try asked.flatMap { asked throws(MongoError) in
                try use(SecretDigest(of: text), of: asked, from: neighbourhood, now: now)
            }
            let known = account == nil ? try reader.account(id: claims.subject) : nil
            isKnown = known?.confirmedAt != nil
        } catch {
            throw .store(error)
        }
        guard let account else { throw isKnown ? .alreadyConfirmed : .expired }
        return account
    }

    /// Finding the token and marking it as used are one step.
    private func use(
        _ digest: SecretDigest,
        of account: Account,
        from neighbourhood: String,
        now: Int64
    ) throws(MongoError) -> Account? {
        // Whoever has tried passwords before it has not been the owner for certain.
        var tries = PasswordTries()
        tries.settle(rules.place(neighbourhood, of: account.id), now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.confirmedAt) { $0.append("$exists", bool: false) }
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            MailPace.confirmations.require(writer, digest, passwordChangedAt: account.passwordChangedAt, now: now)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.confirmedAt, date: now)
                set.append(Field.places, array: tries.write)
            }
            writer.append("$inc") { $0.append(Field.tries, int64: 1) }
            writer.append("$unset") { unset in
                unset.append(Field.confirmations, int: 1)
                unset.append(Field.expiresAt, int: 1)
            }
        }
        return try collection.findOneAndUpdate(filter, update: update).flatMap(Account.init)
    }
}
