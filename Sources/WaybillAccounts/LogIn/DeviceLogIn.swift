package import WaybillDeviceRegistry
package import WaybillMongo

/// What became of a phone that an app has registered.
package enum DeviceLogInOutcome: Hashable, Sendable {
    /// Its person is told there, until the log-in ends.
    case loggedIn
    /// Its id is that of another phone, with a token of its own.
    case otherDevice
    /// The log-in has ended meanwhile, and nobody is told there for its sake.
    case ended
}

/// Registers phones for whoever has logged in.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct DeviceLogIn {
    private let users: UserDevices
    private let devices: LoginDevices
    private let logins: LoginStore
    private let accounts: AccountReader

    package init(client: MongoClient, database: String, rules: AccountRules) {
        users = UserDevices(client: client, database: database)
        devices = LoginDevices(client: client, database: database)
        logins = LoginStore(client: client, database: database, rules: rules)
        accounts = AccountReader(client: client, database: database)
    }

    /// Registers a token.
    ///
    /// - Parameters:
    ///   - address: the device.
    ///   - login: holds.
    ///   - client: whose device it is in the registry.
    ///   - most: phones that somebody is logged in on.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of it.
    /// - Throws: what the store says; the same again is safe.
    package func register(
        _ address: DeviceAddress,
        in login: Login,
        client: String?,
        most: Int,
        now: Int64
    ) throws(MongoError) -> DeviceLogInOutcome {
        try users.logIn(user: login.account, on: address, in: login.id, client: client, most: most, now: now)
        return try outcome(login, on: address, now: now)
    }

    /// Registers an installation of an app that has an id of its own.
    package func register(
        _ entry: DeviceEntry,
        in login: Login,
        most: Int,
        now: Int64
    ) throws(MongoError) -> DeviceLogInOutcome {
        let isTheirs = try users.logIn(user: login.account, as: entry, in: login.id, most: most, now: now)
        let outcome = try outcome(login, on: entry.address, now: now)
        return isTheirs ? outcome : .otherDevice
    }

    /// Whoever has ended the log-in since it was looked at may have looked for its phones before this one was written; and so may
    /// whoever has deleted the account, which disables them, too.
    func outcome(_ login: Login, on address: DeviceAddress, now: Int64) throws(MongoError) -> DeviceLogInOutcome {
        let (current, account) = (try logins.login(id: login.id), try accounts.account(id: login.account))
        if let current, let account, current.isGood(for: account, now: now) { return .loggedIn }
        if account == nil { try users.depart(user: login.account, from: address, now: now) }
        try devices.logOut(login, now: now)
        return .ended
    }
}
