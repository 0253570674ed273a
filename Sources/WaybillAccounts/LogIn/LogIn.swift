package import WaybillMongo
package import WaybillPassword

/// Why nobody has been logged in.
package enum LogInProblem: Error, Hashable, Sendable {
    case unknownName
    case wrongPassword
    /// The password is right, and the address has not been confirmed.
    case notConfirmed
    /// The password is right, and an operator has suspended the account.
    case suspended
    /// After too many wrong passwords: no password is looked at for so many milliseconds.
    case delayed(Int64)
    case fault(AccountFault)
}

/// Looks at passwords, within a pace for each account and place.
///
/// *Thread:* its client's; a password is hashed on it. *Blocking:* up to the limits of the pool, and tens of milliseconds.
package struct LogIn {
    private typealias Field = Accounts.AccountField

    /// How often others may be faster with the same account before somebody is told to come again.
    private static let turns = 8

    private let collection: MongoCollection
    private let reader: AccountReader
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.accounts)
        reader = AccountReader(client: client, database: database)
        self.rules = rules
    }

    /// The account of a name or address and its password.
    ///
    /// - Parameters:
    ///   - text: a name or an address; what is neither takes as long as what nobody has.
    ///   - password: what somebody has typed; `nil` for what no password can be.
    ///   - neighbourhood: of the address that they ask from.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account, confirmed and not suspended.
    /// - Throws: ``LogInProblem``.
    package func account(
        called text: String,
        _ password: PlainPassword?,
        from neighbourhood: String,
        now: Int64
    ) throws(LogInProblem) -> Account {
        guard let account = try stored({ () throws(MongoError) in try reader.account(called: text) }) else {
            try spend(password)
            throw .unknownName
        }
        let right = try check(account, password, from: neighbourhood, now: now)
        if right.suspendedAt != nil { throw .suspended }
        if right.confirmedAt == nil { throw .notConfirmed }
        return right
    }

    /// Compares a password, with the pace of its account and of where it comes from.
    ///
    /// - Parameters:
    ///   - account: whose it is.
    ///   - password: what somebody has typed; `nil` for what no password can be.
    ///   - neighbourhood: of the address that they ask from; `nil`: they have shown a token of the account, and share a pace of
    ///     their own with others who have.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account as it is then.
    /// - Throws: ``LogInProblem/wrongPassword``, ``LogInProblem/delayed(_:)`` or a fault.
    package func check(
        _ account: Account,
        _ password: PlainPassword?,
        from neighbourhood: String? = nil,
        now: Int64
    ) throws(LogInProblem) -> Account {
        let place = rules.place(neighbourhood, of: account.id)
        // Counted before it is looked at: of many guesses at the same moment, none is free.
        let counted = try count(account, place, now: now)
        guard try matches(counted.password, password), let password else { throw .wrongPassword }
        return try settle(
            counted,
            place,
            counted.password.isMade(at: rules.cost) ? counted.password : hash(password),
            now: now
        )
    }

    /// Takes as long as looking at a password, for whoever must not hear that none was looked at.
    package func spend(_ password: PlainPassword?) throws(LogInProblem) {
        _ = try matches(Self.nobodys(rules.cost), password)
    }

    /// Counts an attempt as a failure.
    private func count(_ account: Account, _ place: String, now: Int64) throws(LogInProblem) -> Account {
        var account = account
        for _ in 0..<Self.turns {
            if let next = account.tries.opensAt(place, now: now) { throw .delayed(next - now) }
            var tries = account.tries
            tries.count(place, now: now)
            let update = tries.update()
            if let counted = try change(account, update) { return counted }
            // Somebody else was faster.
            account = try again(account.id)
        }
        throw .delayed(1000)
    }

    /// Forgets the failures after a right password; keeps its hash of today's cost.
    private func settle(
        _ account: Account,
        _ place: String,
        _ hash: PasswordHash,
        now: Int64
    ) throws(LogInProblem) -> Account {
        let password = account.passwordChangedAt
        var account = account
        for _ in 0..<Self.turns {
            var tries = account.tries
            tries.settle(place, now: now)
            let update = tries.update { $0.append(Field.password, string: hash.phc) }
            if let settled = try change(account, update) { return settled }
            account = try again(account.id)
            // The password was changed while this one was looked at.
            guard account.passwordChangedAt == password else { throw .wrongPassword }
        }
        throw .delayed(1000)
    }

    /// Writes what nobody else has written meanwhile; `nil` where somebody has.
    private func change(_ account: Account, _ update: BSONDocument) throws(LogInProblem) -> Account? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account.id)
            writer.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            account.tries.require(writer)
        }
        return try stored { () throws(MongoError) in try collection.findOneAndUpdate(filter, update: update) }
            .flatMap(Account.init)
    }

    private func again(_ id: String) throws(LogInProblem) -> Account {
        guard let account = try stored({ () throws(MongoError) in try reader.account(id: id) }) else {
            throw .unknownName
        }
        return account
    }

    private func matches(_ hash: PasswordHash, _ password: PlainPassword?) throws(LogInProblem) -> Bool {
        do throws(PasswordHashingError) {
            return try password.map { password throws(PasswordHashingError) in try hash.matches(password) } ?? false
        } catch {
            throw .fault(.hashing(error))
        }
    }

    private func hash(_ password: PlainPassword) throws(LogInProblem) -> PasswordHash {
        do throws(PasswordHashingError) {
            return try PasswordHash(password, cost: rules.cost)
        } catch {
            throw .fault(.hashing(error))
        }
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(LogInProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .fault(.store(error))
        }
    }

    /// A hash of nobody's password, at today's cost: what is unknown takes as long as what is wrong.
    static func nobodys(_ cost: PasswordCost) -> PasswordHash {
        let parameters = "m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)"
        return PasswordHash(phc: "$argon2id$v=19$\(parameters)$d2F5YmlsbC1ub2JvZHkhIQ$\(dummyHash)")
    }

    private static let dummyHash = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
}
