import WaybillMongo

/// One registration of a phone for a user, step by step: beside others of the same phone, and of others that claim its id.
///
/// Who holds a token holds the phone: one id with one token is one phone, whoever else registers it at the same moment, and nobody
/// disables that token for it. Who comes with another token may retire the phone's one only where nobody else is logged in by it. The
/// steps are in this order so that of two with two tokens one at least sees the other: a token is written before anybody is
/// looked for, and a link before it is looked whether the token stands.
///
/// *Thread:* its client's.
struct PhoneLogIn {
    private typealias Field = DeviceRegistry.Field

    private let user: String
    private let entry: DeviceEntry
    private let device: String
    private let login: String?
    private let registrar: DeviceRegistrar
    private let links: DeviceLinks
    private let now: Int64

    private var address: DeviceAddress { entry.address }
    private var token: LinkedToken { LinkedToken(entry.address) }

    /// - Returns: `nil` for an entry without an id.
    init?(user: String, entry: DeviceEntry, login: String?, users: UserDevices, now: Int64) {
        guard let device = entry.device else { return nil }
        self.user = user
        self.entry = entry
        self.device = device
        self.login = login
        registrar = users.registrar
        links = users.links
        self.now = now
    }

    /// Whose the phone's id is.
    enum Claim: Hashable {
        /// The phone's: it is pushed to by this token.
        case same
        /// The user's, who may have it pushed to by this token.
        case free
        /// Another phone's.
        case taken
    }

    func claim() throws(MongoError) -> Claim {
        if let known = try known() { return known }
        if try mayChangeToken() { return .free }
        // Whoever is logged in there may be so by this token, which was written before.
        return try known() ?? .taken
    }

    func register() throws(MongoError) {
        _ = try registrar.register([entry], now: now)
    }

    /// Whether nobody else is logged in there by another token, as somebody may be since that was asked: this one gives way then.
    func holds() throws(MongoError) -> Bool {
        guard try links.isAnyoneElse(than: user, on: device, app: address.app, butBy: token),
            try hasOtherToken(enabledOnly: false)
        else { return true }
        _ = try registrar.disable(address, reason: DeviceRegistrar.replaced, now: now)
        return false
    }

    /// - Returns: whether that is news.
    func link() throws(MongoError) -> Bool {
        try links.logIn(user: user, device: device, app: address.app, login: login, by: token, at: now)
    }

    /// Whether no other token has taken the phone's place meanwhile: its holder would have this user's pushes.
    func stands() throws(MongoError) -> Bool {
        if try ownDocument()?["\(Field.enabled)"]?.bool == true { return true }
        guard try hasOtherToken(enabledOnly: true) else { return true }
        try links.logOut(user: user, device: device, app: address.app, by: token, at: now)
        return false
    }

    /// Whoever is logged in by this token under its former id is so under this one: an app that has made itself a new id, and
    /// somebody who knows the token, put nobody out.
    func bringAlong(from former: String) throws(MongoError) {
        for other in try links.others(than: user, on: former, app: address.app, by: token) {
            _ = try links.logIn(
                user: other.user,
                device: device,
                app: address.app,
                login: other.login,
                by: token,
                at: now
            )
            // Who has logged out there meanwhile has logged out here, too.
            if try !links.logOut(user: other.user, device: former, app: address.app, by: token, at: now) {
                try links.logOut(user: other.user, device: device, app: address.app, by: token, at: now)
            }
        }
    }

    // MARK: -

    /// ``Claim/same`` where pushes go to this token, ``Claim/free`` where none do and the phone has never had another one; `nil`
    /// where its document says neither.
    private func known() throws(MongoError) -> Claim? {
        guard let document = try ownDocument() else { return nil }
        if document["\(Field.enabled)"]?.bool == true { return .same }
        return try hasOtherToken(enabledOnly: false) ? nil : .free
    }

    private func ownDocument() throws(MongoError) -> BSONDocument? {
        let filter = BSONDocument { writer in
            DeviceKey.append(address, to: writer)
            writer.append(Field.device, string: device)
        }
        return try registrar.devices.findOne(filter, options: MongoFindOptions(readsMajority: true))
    }

    private func mayChangeToken() throws(MongoError) -> Bool {
        if try links.isAnyoneElse(than: user, on: device, app: address.app, butBy: token) { return false }
        let isTheirs = try links.all(of: user).contains {
            $0.app == address.app && $0.device == device && $0.isEnabled
        }
        if isTheirs { return true }
        return try !hasOtherToken(enabledOnly: true)
    }

    private func hasOtherToken(enabledOnly: Bool) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.device, string: device)
            writer.append(Field.app, string: address.app)
            writer.append(Field.token) { $0.append("$ne", string: address.token) }
            if enabledOnly { writer.append(Field.enabled, bool: true) }
        }
        return try registrar.devices.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }
}
