package import WaybillMongo

/// Why an account's address is the one it was.
package enum AddressChangeProblem: Error, MailTokenProblem, Hashable, Sendable {
    /// It is no token of a mail of this installation.
    case unreadable
    /// It was used, or its time is over, or a later mail has taken its place, or its account has gone.
    case expired
    /// Somebody else has the address.
    case taken
    case store(MongoError)
}

/// Gives an account another address: by a mail to it, and with a way back by a mail to the one before it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AddressChange {
    private typealias Field = Accounts.AccountField

    /// How long another mail waits after one, in milliseconds.
    private static let interval: Int64 = 20 * 60_000
    /// Addresses that an account can go back to; while there are so many there is no other.
    private static let mostFormer = 5
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection
    private let reader: AccountReader
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        reader = AccountReader(client: client, database: database)
        self.rules = rules
    }

    /// Makes a token for a mail to another address; the one for an earlier one is void.
    ///
    /// - Parameters:
    ///   - account: whose address it is to be; whoever asks has shown its password.
    ///   - email: the address.
    ///   - now: milliseconds since 1970.
    /// - Returns: the token, whose digest is in a majority's journal; `nil` where a mail has gone within twenty minutes.
    /// - Throws: what the store says.
    package func begin(_ account: Account, _ email: EmailAddress, now: Int64) throws(MongoError) -> ConfirmationToken? {
        let token = ConfirmationToken(.newAddress, for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.addressChangeSentAt) { sent in
                sent.append("$not") { $0.append("$gt", date: now - Self.interval) }
            }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.addressChange) { change in
                    change.append(Field.email, string: email.text)
                    change.append(Field.digest, string: token.digest.hexadecimal)
                    change.append(Field.sentAt, date: now)
                    change.append(Field.expiresAt, date: token.expiresAt)
                }
            }
        }
        return try collection.findOneAndUpdate(filter, update: update) == nil ? nil : token
    }

    /// A change whose token is good, and which has not happened yet.
    package struct Prepared {
        /// The address that the account has.
        package let former: EmailAddress
        /// The way back to it: good once the change has happened.
        package let wayBack: ConfirmationToken
        fileprivate let account: String
        fileprivate let filter: BSONDocument
        fileprivate let update: BSONDocument
    }

    /// Looks at a token, and changes nothing: so that the mail with the way back can wait in the store before it is needed.
    ///
    /// - Parameters:
    ///   - text: what the link holds.
    ///   - now: milliseconds since 1970.
    /// - Returns: what ``confirm(_:)`` does.
    /// - Throws: ``AddressChangeProblem``.
    package func prepare(_ text: String, now: Int64) throws(AddressChangeProblem) -> Prepared {
        let claims = try rules.claims(.newAddress, text, now: now, orThrow: AddressChangeProblem.self)
        guard let document = try stored({ () throws(MongoError) in try self.document(claims.subject) }),
            let account = Account(document), let change = document["\(Field.addressChange)"]?.document,
            let email = change["\(Field.email)"]?.string.flatMap(EmailAddress.init),
            SecretDigest(of: text).isStored(as: change["\(Field.digest)"]?.string ?? "")
        else { throw .expired }
        let former = Self.former(document, now: now)
        guard former.count < Self.mostFormer else { throw .expired }
        let wayBack = ConfirmationToken(.formerAddress, for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.emailKey, string: account.email.key)
            writer.append(Field.addressChangeDigest, string: SecretDigest(of: text).hexadecimal)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.email, string: email.text)
                set.append(Field.emailKey, string: email.key)
                set.append(
                    Field.formerAddresses,
                    array: { array in
                        for entry in former { array.append(document: entry) }
                        array.append { entry in
                            entry.append(Field.email, string: account.email.text)
                            entry.append(Field.digest, string: wayBack.digest.hexadecimal)
                            entry.append(Field.expiresAt, date: wayBack.expiresAt)
                        }
                    }
                )
            }
            writer.append("$unset") { unset in
                unset.append(Field.addressChange, int: 1)
                // Links that went to the address before it.
                unset.append(Field.resets, int: 1)
            }
        }
        return Prepared(
            former: account.email,
            wayBack: wayBack,
            account: claims.subject,
            filter: filter,
            update: update
        )
    }

    /// Changes the address; of several who show the same token, one does.
    ///
    /// - Returns: the account as it is then.
    /// - Throws: ``AddressChangeProblem``; with that of the store it is not known whether it has happened.
    package func confirm(_ prepared: Prepared) throws(AddressChangeProblem) -> Account {
        try changed(prepared.account, prepared.filter, prepared.update)
    }

    /// Goes back to an address: all log-ins end, and so does the password, which is chosen anew by a mail.
    ///
    /// Whoever has changed the address may have known the password.
    ///
    /// - Parameters:
    ///   - text: what the link holds.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account as it is then.
    /// - Throws: ``AddressChangeProblem``.
    package func goBack(_ text: String, now: Int64) throws(AddressChangeProblem) -> Account {
        let claims = try rules.claims(.formerAddress, text, now: now, orThrow: AddressChangeProblem.self)
        let digest = SecretDigest(of: text)
        guard let document = try stored({ () throws(MongoError) in try self.document(claims.subject) }),
            let account = Account(document),
            let entry = Self.former(document, now: now).first(where: {
                digest.isStored(as: $0["\(Field.digest)"]?.string ?? "")
            }), let email = entry["\(Field.email)"]?.string.flatMap(EmailAddress.init)
        else { throw .expired }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            writer.append(Field.formerAddressDigest, string: digest.hexadecimal)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                PasswordChange.set(set, LogIn.nobodys(rules.cost), account, now: now)
                set.append(Field.email, string: email.text)
                set.append(Field.emailKey, string: email.key)
            }
            writer.append("$unset") { unset in
                PasswordChange.unset(unset)
                unset.append(Field.formerAddresses, int: 1)
            }
        }
        return try changed(account.id, filter, update)
    }

    private func document(_ id: String) throws(MongoError) -> BSONDocument? {
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(BSONDocument { $0.append(Field.id, string: id) }, options: options)
    }

    /// The addresses whose time is not over.
    private static func former(_ document: BSONDocument, now: Int64) -> [BSONDocument] {
        (document["\(Field.formerAddresses)"]?.elements ?? []).compactMap(\.document).filter {
            ($0["\(Field.expiresAt)"]?.date ?? 0) > now
        }
    }

    /// By a bulk write, which tells what an index refuses.
    private func changed(
        _ id: String,
        _ filter: BSONDocument,
        _ update: BSONDocument
    ) throws(AddressChangeProblem) -> Account {
        let result = try stored { () throws(MongoError) in
            let bulk = collection.bulk()
            try bulk.updateOne(filter: filter, update: update, upsert: false)
            return bulk.execute()
        }
        if result.writeErrors.contains(where: \.isDuplicateKey) { throw .taken }
        let account = try stored { () throws(MongoError) in
            try result.requireDurable("write to \(Accounts.accounts)")
            return result.matched == 1 ? try reader.account(id: id) : nil
        }
        guard let account else { throw .expired }
        return account
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(AddressChangeProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
