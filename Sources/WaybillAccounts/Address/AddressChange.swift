import WaybillDeviceRegistry
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
    private let devices: LoginDevices
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        reader = AccountReader(client: client, database: database)
        devices = LoginDevices(client: client, database: database)
        self.rules = rules
    }

    /// Makes a token for a mail to another address; the one for an earlier one is void.
    ///
    /// - Parameters:
    ///   - account: whose address it is to be; whoever asks has shown its password.
    ///   - email: the address.
    ///   - now: milliseconds since 1970.
    /// - Returns: the token, whose digest is in a majority's journal; `nil` where a mail has gone within twenty minutes, or the
    ///   account has another password by now: whoever asks may be whom that was to keep out.
    /// - Throws: what the store says.
    package func begin(_ account: Account, _ email: EmailAddress, now: Int64) throws(MongoError) -> ConfirmationToken? {
        let token = ConfirmationToken(.newAddress, for: account, rules, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
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
        fileprivate let email: EmailAddress
        fileprivate let now: Int64
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
            email: email,
            now: now,
            filter: filter,
            update: update
        )
    }

    /// Changes the address; of several who show the same token, one does.
    ///
    /// Whoever has signed up with it and has not confirmed it loses it: whoever shows the token has shown that they read there.
    ///
    /// - Returns: the account as it is then.
    /// - Throws: ``AddressChangeProblem``; with that of the store it is not known whether it has happened.
    package func confirm(_ prepared: Prepared) throws(AddressChangeProblem) -> Account {
        try changed(prepared.account, to: prepared.email, prepared.filter, prepared.update, now: prepared.now)
    }

    /// Goes back to an address: all log-ins end, and so does the password, which is chosen anew by a mail; no phone is told
    /// anything until somebody logs in there.
    ///
    /// Whoever has changed the address may have known the password. The ways back to addresses before this one stay, for it may be
    /// a thief's that goes back to the second address of theirs; those to later ones end. Whoever has signed up with the address
    /// meanwhile and has not confirmed it loses it.
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
            let account = Account(document)
        else { throw .expired }
        let former = Self.former(document, now: now)
        guard let index = former.firstIndex(where: { digest.isStored(as: $0["\(Field.digest)"]?.string ?? "") }),
            let email = former[index]["\(Field.email)"]?.string.flatMap(EmailAddress.init)
        else { throw .expired }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            // As it was read: nobody's way back is lost by a change at the same moment.
            writer.append(
                Field.formerAddresses,
                array: { array in for entry in Self.allFormer(document) { array.append(document: entry) } }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                PasswordChange.set(set, LogIn.nobodys(rules.cost), account, now: now)
                set.append(Field.email, string: email.text)
                set.append(Field.emailKey, string: email.key)
                guard index > 0 else { return }
                set.append(
                    Field.formerAddresses,
                    array: { array in for entry in former.prefix(upTo: index) { array.append(document: entry) } }
                )
            }
            writer.append("$unset") { unset in
                PasswordChange.unset(unset)
                if index == 0 { unset.append(Field.formerAddresses, int: 1) }
            }
        }
        return try devices.ending(.all, of: account.id, now: now, orThrow: AddressChangeProblem.store) {
            () throws(AddressChangeProblem) in
            try changed(account.id, to: email, filter, update, now: now)
        }
    }

    private func document(_ id: String) throws(MongoError) -> BSONDocument? {
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(BSONDocument { $0.append(Field.id, string: id) }, options: options)
    }

    /// The addresses whose time is not over, the first one first.
    private static func former(_ document: BSONDocument, now: Int64) -> [BSONDocument] {
        allFormer(document).filter { ($0["\(Field.expiresAt)"]?.date ?? 0) > now }
    }

    private static func allFormer(_ document: BSONDocument) -> [BSONDocument] {
        (document["\(Field.formerAddresses)"]?.elements ?? []).compactMap(\.document)
    }

    /// Writes a change of an address, whose holder loses it where nobody has confirmed that it is theirs.
    private func changed(
        _ id: String,
        to email: EmailAddress,
        _ filter: BSONDocument,
        _ update: BSONDocument,
        now: Int64
    ) throws(AddressChangeProblem) -> Account {
        var result = try write(filter, update)
        if result.writeErrors.contains(where: \.isDuplicateKey) {
            let isFree = try stored { () throws(MongoError) in
                try AccountErasure(collection).eraseUnconfirmed(email, now: now)
            }
            guard isFree else { throw .taken }
            result = try write(filter, update)
        }
        if result.writeErrors.contains(where: \.isDuplicateKey) { throw .taken }
        let account = try stored { () throws(MongoError) in
            try result.requireDurable("write to \(Accounts.accounts)")
            return result.matched == 1 ? try reader.account(id: id) : nil
        }
        guard let account else { throw .expired }
        return account
    }

    /// By a bulk write, which tells what an index refuses.
    private func write(_ filter: BSONDocument, _ update: BSONDocument) throws(AddressChangeProblem) -> MongoBulkResult {
        try stored { () throws(MongoError) in
            let bulk = collection.bulk()
            try bulk.updateOne(filter: filter, update: update, upsert: false)
            return bulk.execute()
        }
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(AddressChangeProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
