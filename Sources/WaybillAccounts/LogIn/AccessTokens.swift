package import WaybillMongo

/// Why an access token lets nobody in.
package enum AccessProblem: Error, Hashable, Sendable {
    /// It is none of this installation's, or its time is over, or its log-in has ended, or its account has gone, was suspended, or
    /// has a new password.
    case refused
    /// It is good, and does not say whose it is.
    case nameless
    case store(MongoError)
}

/// Finds out whose a request with an access token is.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AccessTokens {
    private let accounts: AccountReader
    private let logins: LoginStore
    private let rules: AccountRules

    package init(client: MongoClient, database: String, rules: AccountRules) {
        accounts = AccountReader(client: client, database: database)
        logins = LoginStore(client: client, database: database, rules: rules)
        self.rules = rules
    }

    /// The account of a token.
    ///
    /// - Parameters:
    ///   - text: what somebody has shown.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account as it is now.
    /// - Throws: ``AccessProblem``.
    package func account(_ text: String, now: Int64) throws(AccessProblem) -> Account {
        try holder(text, now: now).account
    }

    /// The account of a token, and the log-in that it was given out for, which holds.
    ///
    /// - Parameters:
    ///   - text: what somebody has shown.
    ///   - now: milliseconds since 1970.
    /// - Returns: both as they are now.
    /// - Throws: ``AccessProblem``.
    package func holder(_ text: String, now: Int64) throws(AccessProblem) -> (account: Account, login: Login) {
        guard let claims = try? rules.verifier.claims(.access, text, now: now / 1000) else { throw .refused }
        guard claims.username != nil else { throw .nameless }
        guard let id = claims.login else { throw .refused }
        let found: (Account?, Login?)
        do throws(MongoError) {
            found = (try accounts.account(id: claims.subject), try logins.login(id: id))
        } catch {
            throw .store(error)
        }
        guard let account = found.0, let login = found.1, account.honours(claims), login.isGood(for: account, now: now)
        else { throw .refused }
        return (account, login)
    }
}
