import WaybillMongo

/// One log-in of a user by a token alone, step by step: beside registrations of the same phone.
///
/// A token may be retired, because its phone has another one, or disabled with another user's account, after it was registered
/// and before the link was there: it is registered once more then, for the log-in is the later word.
///
/// *Thread:* its client's.
struct TokenLogIn {
    private let user: String
    private let address: DeviceAddress
    private let login: String?
    private let client: String?
    private let users: UserDevices
    /// Milliseconds since 1970; past what was known when the token was registered, after that.
    private(set) var now: Int64

    private var token: LinkedToken { LinkedToken(address) }

    init(user: String, address: DeviceAddress, login: String?, client: String?, users: UserDevices, now: Int64) {
        self.user = user
        self.address = address
        self.login = login
        self.client = client
        self.users = users
        self.now = now
    }

    /// - Returns: the id that the link goes by.
    mutating func register() throws(MongoError) -> String {
        let device = try users.device(of: address, for: user)
        var entry = DeviceEntry(address: address)
        entry.device = device
        entry.client = client
        // Whoever knows a token that a phone once had takes that phone's present one from nobody.
        _ = try users.register(entry, for: user, now: &now)
        return device
    }

    /// - Returns: whether it is news that the user is logged in there.
    func link(_ device: String) throws(MongoError) -> Bool {
        try users.link(user: user, device: device, to: address, login: login, now: now)
    }

    /// Whether the token was not retired or disabled meanwhile; the next round is of a later time then.
    mutating func stands() throws(MongoError) -> Bool {
        guard let device = try users.registrar.row(address)?.device, !device.isEnabled,
            let reason = device.disabledReason, [DeviceRegistrar.replaced, UserDevices.departed].contains(reason)
        else { return true }
        now = max(now, device.disabledAt ?? now) + 1
        return false
    }

    /// Ends what the user had by this token under other ids, which are the same phone.
    func leaveOtherIDs(than device: String) throws(MongoError) {
        try users.links.logOut(user: user, by: token, app: address.app, butOn: device, at: now)
    }
}
