package import WaybillMongo

/// Why a refresh token of a family renews nothing.
package enum FamilyProblem: Error, Hashable, Sendable {
    /// It is none, or its log-in has ended or was not used for too long, or its account was suspended or has another password.
    case refused
    /// It was used before: somebody has a copy of it, and the log-in has ended for everybody.
    case replayed(login: String, account: String)
    case store(MongoError)
}

/// Log-ins whose refresh tokens hold once, each followed by the next: a family.
///
/// Each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct RefreshFamilies {
    private typealias Field = Accounts.LoginField

    /// How long an access token of a family holds, in seconds.
    package static let accessLifetime: Int64 = 600
    /// How long a family lasts that nobody renews, in milliseconds.
    package static let idleTime: Int64 = 90 * 86_400_000
    /// How long the token before the current one gets the same answer again, for it may have been lost on its way; in milliseconds.
    static let grace: Int64 = 30_000
    /// How often a log-in may be renewed while its password is changed.
    private static let turns = 8

    private let collection: MongoCollection
    private let logins: LoginStore
    private let accounts: AccountReader
    private let devices: LoginDevices
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.logins)
        logins = LoginStore(client: client, database: database, rules: rules)
        accounts = AccountReader(client: client, database: database)
        devices = LoginDevices(client: client, database: database)
        self.rules = rules
    }

    /// Begins a family.
    ///
    /// - Parameters:
    ///   - account: who has shown a password.
    ///   - name: what the person calls the device or browser; `nil`: nothing.
    ///   - now: milliseconds since 1970.
    /// - Returns: the tokens, of which the store knows digests alone.
    /// - Throws: when it is not known to be durable.
    package func begin(_ account: Account, name: String?, now: Int64) throws(MongoError) -> LoginTokens {
        let id = Login.newID()
        let token = RefreshToken(login: id, number: 0, key: rules.keys.families[0])
        let login = Login(
            id: id,
            account: account.id,
            passwordChangedAt: account.passwordChangedAt,
            createdAt: now,
            name: name,
            family: Login.Family(number: 0, renewedAt: now)
        )
        try logins.insert(login, digest: token.digest, expiresAt: now + Self.idleTime, now: now)
        return tokens(account, login, token, now: now)
    }

    /// Takes a token in, and gives the next one out.
    ///
    /// - Parameters:
    ///   - text: what somebody has shown.
    ///   - now: milliseconds since 1970.
    /// - Returns: the tokens; the same refresh token again for the one before it, within ``grace``.
    /// - Throws: ``FamilyProblem``.
    package func renew(_ text: String, now: Int64) throws(FamilyProblem) -> LoginTokens {
        // What nobody has signed costs the store nothing, and ends nobody's log-in.
        guard let shown = RefreshToken(shown: text), shown.isMade(by: rules.keys.families) else { throw .refused }
        // Others may have the same token at the same moment: whoever comes second finds it used.
        for wasCurrent in [false, true] {
            if let tokens = try renew(shown, wasCurrent: wasCurrent, now: now) { return tokens }
        }
        throw .refused
    }

    /// One try of ``renew(_:now:)``.
    ///
    /// - Parameters:
    ///   - shown: a token that this installation has made.
    ///   - wasCurrent: whether it was the current one a moment ago: a token with which somebody was faster is not shown a second time.
    ///   - now: milliseconds since 1970.
    /// - Returns: the tokens; `nil` where somebody else was faster.
    /// - Throws: ``FamilyProblem``.
    func renew(_ shown: RefreshToken, wasCurrent: Bool, now: Int64) throws(FamilyProblem) -> LoginTokens? {
        guard let login = try stored({ () throws(MongoError) in try logins.login(id: shown.login) }),
            let account = try stored({ () throws(MongoError) in try accounts.account(id: login.account) }),
            let family = login.family, login.isGood(for: account, now: now)
        else { throw .refused }
        if shown.number < family.number {
            return try repeated(shown, login, family, account, wasCurrent: wasCurrent, now: now)
        }
        guard shown.number == family.number else { throw .refused }
        let next = shown.next(key: rules.keys.families[0])
        return try stored { () throws(MongoError) in try rotate(login, from: shown, to: next, now: now) }
            .map { tokens(account, $0, next, now: now) }
    }

    /// Gives a log-in whose password was changed by its own holder another token, so that it goes on, also where it was renewed
    /// meanwhile.
    ///
    /// Nobody is told it again for the one before it (``grace``): whoever has a copy of that is whom the password was changed for. So
    /// the number between the two is left out.
    ///
    /// - Parameters:
    ///   - login: a family's; others of the account are void by the change.
    ///   - account: as it is after the change.
    ///   - now: milliseconds since 1970.
    /// - Returns: the tokens; `nil` where the log-in is no family, or has ended.
    /// - Throws: what the store says.
    package func carryOn(_ login: Login, _ account: Account, now: Int64) throws(MongoError) -> LoginTokens? {
        guard login.family != nil else { return nil }
        var current = login
        for _ in 0..<Self.turns {
            if let tokens = try replace(current, account, now: now) { return tokens }
            // Its holder may have renewed it at the same moment, which is the same log-in still.
            guard let again = try logins.login(id: login.id), again.endedAt == nil,
                again.passwordChangedAt == login.passwordChangedAt
            else { break }
            current = again
        }
        // Void by the change, and its phones with it.
        try devices.logOut(login, now: now)
        return nil
    }

    // MARK: -

    /// Gives a log-in that is as it was read the token after the next.
    private func replace(_ login: Login, _ account: Account, now: Int64) throws(MongoError) -> LoginTokens? {
        guard let family = login.family else { return nil }
        let next = RefreshToken(login: login.id, number: family.number + 2, key: rules.keys.families[0])
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: login.id)
            writer.append(Field.number, int64: family.number)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                Self.set(set, next, now: now)
                set.append(Field.passwordChangedAt, date: account.passwordChangedAt)
            }
        }
        return try collection.findOneAndUpdate(filter, update: update).flatMap(Login.init)
            .map { tokens(account, $0, next, now: now) }
    }

    /// What a token gets that is no longer the current one.
    private func repeated(
        _ shown: RefreshToken,
        _ login: Login,
        _ family: Login.Family,
        _ account: Account,
        wasCurrent: Bool,
        now: Int64
    ) throws(FamilyProblem) -> LoginTokens {
        if shown.number == family.number - 1, now - family.renewedAt <= Self.grace {
            // By whichever secret the one in the store was derived.
            for key in rules.keys.families {
                let current = shown.next(key: key)
                if current.digest.isStored(as: login.digest) { return tokens(account, login, current, now: now) }
            }
            throw .refused
        }
        // The password was changed beside it.
        if wasCurrent { throw .refused }
        _ = try stored { () throws(MongoError) in try logins.end(login.id, of: account.id, now: now) }
        throw .replayed(login: login.id, account: account.id)
    }

    private func rotate(
        _ login: Login,
        from shown: RefreshToken,
        to next: RefreshToken,
        now: Int64
    ) throws(MongoError) -> Login? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: login.id)
            writer.append(Field.digest, string: shown.digest.hexadecimal)
            writer.append(Field.passwordChangedAt, date: login.passwordChangedAt)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        let update = BSONDocument { writer in writer.append("$set") { Self.set($0, next, now: now) } }
        return try collection.findOneAndUpdate(filter, update: update).flatMap(Login.init)
    }

    private static func set(_ set: BSONWriter, _ token: RefreshToken, now: Int64) {
        set.append(Field.digest, string: token.digest.hexadecimal)
        set.append(Field.number, int64: token.number)
        set.append(Field.renewedAt, date: now)
        set.append(Field.expiresAt, date: now + Self.idleTime)
    }

    private func tokens(_ account: Account, _ login: Login, _ token: RefreshToken, now: Int64) -> LoginTokens {
        LoginTokens(
            account: account,
            login: login,
            access: rules.access(account, login, lifetime: Self.accessLifetime, now: now),
            refresh: token.reveal()
        )
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(FamilyProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
