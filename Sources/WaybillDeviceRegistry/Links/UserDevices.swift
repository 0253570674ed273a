package import WaybillMongo

/// Tokens that an app tells together with who is logged in, where the app has no installation id of its own.
///
/// The token's own document has the id that links go by: the app's, if another way of registering has told one, else one that is
/// made of the token. Nothing that one user says changes by which tokens another one is told.
///
/// *Thread:* its client's.
package struct UserDevices {
    /// Rounds after which documents that keep changing under our hands count as a failure of the store.
    static let roundLimit = 8

    let registrar: DeviceRegistrar
    let links: DeviceLinks

    package init(client: MongoClient, database: String) {
        registrar = DeviceRegistrar(client: client, database: database)
        links = DeviceLinks(client: client, database: database)
    }

    /// Registers a token, and sends its user's pushes there from now on.
    ///
    /// - Parameters:
    ///   - user: who is logged in.
    ///   - address: the device.
    ///   - login: in which log-in the app says so; `nil`: nobody knows.
    ///   - client: whose device it is in the registry.
    ///   - most: of so many devices of the app; of more the user is logged out, where they have been logged in for longest.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says; the same again is safe.
    package func logIn(
        user: String,
        on address: DeviceAddress,
        in login: String? = nil,
        client: String?,
        most: Int = DeviceLinks.mostDevices,
        now: Int64
    ) throws(MongoError) {
        var phone = TokenLogIn(user: user, address: address, login: login, client: client, users: self, now: now)
        for _ in 0..<Self.roundLimit {
            let device = try phone.register()
            guard try phone.link(device) else { return }
            guard try phone.stands() else { continue }
            try phone.leaveOtherIDs(than: device)
            return try leave(beyond: most, user: user, app: address.app, now: phone.now)
        }
        throw restless
    }

    /// Registers an installation of an app that has an id of its own, and sends its user's pushes there from now on.
    ///
    /// - Parameters:
    ///   - user: who is logged in.
    ///   - entry: what the app says of itself: with its id, and without a user.
    ///   - login: in which log-in the app says so; `nil`: nobody knows.
    ///   - most: of so many devices of the app; of more the user is logged out, where they have been logged in for longest.
    ///   - now: milliseconds since 1970.
    /// - Returns: false where the device is not this user's to give another token: the app makes a new id. It is theirs where
    ///   they are logged in on it and nobody else is. Whoever knows an id retires nobody's token, and has nobody's pushes.
    /// - Throws: what the store says; the same again is safe.
    package func logIn(
        user: String,
        as entry: DeviceEntry,
        in login: String? = nil,
        most: Int = DeviceLinks.mostDevices,
        now: Int64
    ) throws(MongoError) -> Bool {
        for _ in 0..<Self.roundLimit {
            guard var phone = PhoneLogIn(user: user, entry: entry, login: login, users: self, now: now) else {
                return false
            }
            let claim = try phone.claim()
            guard claim != .taken else { return false }
            let former = try phone.register()
            if claim == .free, try !phone.holds(former) { return false }
            let linked = try phone.link()
            guard linked.isNews else { return true }
            switch try phone.stands(linked, former) {
            case .stands:
                try phone.leaveOtherIDs()
                try leave(beyond: most, user: user, app: entry.address.app, now: phone.now)
                return true
            case .givesWay: return false
            case .again: continue
            }
        }
        throw restless
    }

    /// Sends no more of a user's pushes to a token; it stays registered for whoever logs in next.
    ///
    /// - Parameters:
    ///   - user: who has logged out.
    ///   - address: the device; one that nobody knows may be told later, and this is known then.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says; the same again is safe.
    package func logOut(user: String, of address: DeviceAddress, now: Int64) throws(MongoError) {
        let device = try device(of: address, for: user)
        let now = try time(of: user, app: address.app, after: [], now: now)
        _ = try links.logOut(user: user, device: device, app: address.app, at: now)
        try links.logOut(user: user, by: LinkedToken(address), app: address.app, at: now)
    }

    /// The id by which a user is logged in by a token alone: that under which the token stands.
    ///
    /// One that is made of the token, where it stands under none, where that is the id of a phone with another token by now,
    /// where the user is logged in under it by another one, or where it is other people's, to whom alone it is shown.
    func device(of address: DeviceAddress, for user: String) throws(MongoError) -> String {
        // It says nothing of the token: ids are shown where tokens are shortened.
        let made = "token-\(LinkedToken.hash(address.token))"
        guard let known = try registrar.row(address)?.device.device, known != made else { return made }
        let filter = BSONDocument { writer in
            writer.append(DeviceRegistry.Field.device, string: known)
            writer.append(DeviceRegistry.Field.app, string: address.app)
            writer.append(DeviceRegistry.Field.token) { $0.append("$ne", string: address.token) }
            writer.append(DeviceRegistry.Field.enabled, bool: true)
        }
        let other = try registrar.devices.findOne(filter, options: MongoFindOptions(readsMajority: true))
        let token = LinkedToken(address)
        guard other == nil, try links.admits(user, by: token, under: known, app: address.app) else { return made }
        return known
    }

    private func leave(beyond most: Int, user: String, app: String, now: Int64) throws(MongoError) {
        for former in try links.devices(of: user, app: app, beyond: most) {
            _ = try links.logOut(user: user, device: former, app: app, at: now)
        }
    }

    var restless: MongoError {
        MongoError(
            code: .notDurable,
            operation: registrar.operation,
            reason: "documents keep changing while they are written"
        )
    }
}
