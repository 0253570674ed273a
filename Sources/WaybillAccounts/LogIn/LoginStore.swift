import WaybillDeviceRegistry
package import WaybillMongo

/// Why a refresh token is worth nothing.
package enum RenewalProblem: Error, Hashable, Sendable {
    /// It is none, or its log-in has ended, or its account's password was changed.
    case refused
    case store(MongoError)
}

/// Begins, renews and ends log-ins; each write is in a majority's journal when it returns.
///
/// The phones that were registered in a log-in are told nothing more when it has ended.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct LoginStore {
    private typealias Field = Accounts.LoginField

    private static let maximumTime = Duration.seconds(5)
    /// More log-ins of one account end the oldest.
    static let most = 50

    private let collection: MongoCollection
    private let accounts: AccountReader
    private let devices: LoginDevices
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        collection = client.collection(database: database, name: Accounts.logins)
        accounts = AccountReader(client: client, database: database)
        devices = LoginDevices(client: client, database: database)
        self.rules = rules
    }

    /// Begins a log-in, with tokens of its own.
    ///
    /// - Parameters:
    ///   - account: who has shown a password, or that an address is theirs.
    ///   - now: milliseconds since 1970.
    /// - Returns: the tokens, of which the store knows digests alone.
    /// - Throws: when it is not known to be durable.
    package func begin(_ account: Account, now: Int64) throws(MongoError) -> LoginTokens {
        let login = Login(
            id: Login.newID(),
            account: account.id,
            passwordChangedAt: account.passwordChangedAt,
            createdAt: now
        )
        let refresh = rules.signer.token(
            .refresh,
            TokenClaims(
                subject: account.id,
                username: account.name.text,
                issuedAt: now / 1000,
                id: Base62.random(count: 22),
                login: login.id,
                passwordMark: account.passwordMark
            )
        )
        try insert(login, digest: SecretDigest(of: refresh), expiresAt: nil, now: now)
        return LoginTokens(account: account, login: login, access: access(account, login, now: now), refresh: refresh)
    }

    /// A new access token for a refresh token, which goes on.
    ///
    /// - Parameters:
    ///   - refresh: what somebody has shown.
    ///   - now: milliseconds since 1970.
    /// - Returns: the access token, and whose it is.
    /// - Throws: ``RenewalProblem``.
    package func renew(_ refresh: String, now: Int64) throws(RenewalProblem) -> (access: String, account: Account) {
        guard let claims = try? rules.verifier.claims(.refresh, refresh, now: now / 1000) else { throw .refused }
        let found: (login: Login, account: Account)?
        do throws(MongoError) {
            found = try holder(SecretDigest(of: refresh))
        } catch {
            throw .store(error)
        }
        guard let (login, account) = found, login.id == claims.login, account.honours(claims) else { throw .refused }
        return (access(account, login, now: now), account)
    }

    /// The log-in of a refresh token and its account, where both hold.
    private func holder(_ digest: SecretDigest) throws(MongoError) -> (Login, Account)? {
        let filter = BSONDocument { $0.append(Field.digest, string: digest.hexadecimal) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        guard let document = try collection.findOne(filter, options: options), let login = Login(document),
            let stored = document["\(Field.digest)"]?.string, digest.isStored(as: stored), login.endedAt == nil,
            let account = try accounts.account(id: login.account),
            account.passwordChangedAt == login.passwordChangedAt
        else { return nil }
        return (login, account)
    }

    private func access(_ account: Account, _ login: Login, now: Int64) -> String {
        rules.access(account, login, lifetime: TokenKind.access.lifetime ?? 0, now: now)
    }

    /// Writes a log-in, and ends the oldest where there are too many.
    func insert(_ login: Login, digest: SecretDigest, expiresAt: Int64?, now: Int64) throws(MongoError) {
        let document = BSONWriter(capacity: 256)
        document.append(Field.id, string: login.id)
        document.append(Field.account, string: login.account)
        document.append(Field.digest, string: digest.hexadecimal)
        document.append(Field.passwordChangedAt, date: login.passwordChangedAt)
        document.append(Field.createdAt, date: login.createdAt)
        if let name = login.name { document.append(Field.name, string: name) }
        if let family = login.family {
            document.append(Field.number, int64: family.number)
            document.append(Field.renewedAt, date: family.renewedAt)
        }
        if let expiresAt { document.append(Field.expiresAt, date: expiresAt) }
        let bulk = collection.bulk()
        try bulk.insert(document)
        try bulk.execute().requireDurable("write to \(Accounts.logins)")
        try endOldest(of: login.account, now: now)
    }

    /// The log-in with this id, whether it holds or not.
    func login(id: String) throws(MongoError) -> Login? {
        let filter = BSONDocument { $0.append(Field.id, string: id) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Login.init)
    }

    /// The log-ins of an account that hold, the latest first.
    package func holding(of account: Account, now: Int64) throws(MongoError) -> [Login] {
        let filter = BSONDocument { writer in
            writer.append(Field.account, string: account.id)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.createdAt, int: -1) },
            limit: Self.most,
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        return try collection.find(filter, options: options).all().compactMap(Login.init)
            .filter { $0.isGood(for: account, now: now) }
    }

    /// Ends a log-in: its tokens are worth nothing when this returns.
    ///
    /// - Parameters:
    ///   - id: the log-in's.
    ///   - account: whose it must be.
    ///   - now: milliseconds since 1970.
    /// - Returns: false if the account has no such log-in, or it has ended.
    /// - Throws: when it is not known to be durable.
    package func end(_ id: String, of account: String, now: Int64) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.account, string: account)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        return try devices.ending(.these([id]), of: account, now: now) { () throws(MongoError) in
            try collection.findOneAndUpdate(filter, update: Self.end(now)) != nil
        }
    }

    /// Ends all log-ins of an account.
    func endAll(of account: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.account, string: account)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        try devices.ending(.all, of: account, now: now) { () throws(MongoError) in
            let bulk = collection.bulk()
            try bulk.updateMany(filter: filter, update: Self.end(now))
            try bulk.execute().requireDurable("write to \(Accounts.logins)")
        }
    }

    private static func end(_ now: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.endedAt, date: now)
                set.append(Field.expiresAt, date: now)
            }
        }
    }

    /// Ends what is too many, so that nobody fills the store.
    private func endOldest(of account: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.account, string: account)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.createdAt, int: -1) },
            limit: Self.most,
            skip: Self.most,
            maximumTime: Self.maximumTime
        )
        let cursor = collection.find(filter, options: options)
        var old: [String] = []
        while let document = try cursor.next() {
            if let login = Login(document) { old.append(login.id) }
        }
        guard !old.isEmpty else { return }
        try devices.ending(.these(old), of: account, now: now) { () throws(MongoError) in
            let bulk = collection.bulk()
            let update = Self.end(now)
            for id in old {
                let filter = BSONDocument { $0.append(Field.id, string: id) }
                try bulk.updateOne(filter: filter, update: update, upsert: false)
            }
            try bulk.execute().requireDurable("write to \(Accounts.logins)")
        }
    }
}
