import WaybillEncoding
import WaybillMongo

/// One registration of a phone for a user, step by step: beside others of the same phone, and of others that claim its id.
///
/// Who holds a token holds the phone: one id with one token is one phone, whoever else registers it at the same moment, and
/// nobody disables that token for it. A token by which somebody else is logged in, under whatever id, is retired by nobody:
/// who comes with another one gives way, and what that registration has written is undone. Whoever comes with a
/// token that somebody else is logged in by, under another id than theirs, gets pushes by it, and changes nothing of it.
///
/// The steps are in this order so that of two with two tokens one at least sees the other: a token is written before anybody
/// is looked for, whoever is logged in by another one is looked for before and after that one is retired, and a link is
/// written before it is looked whether its token stands, and whether somebody else is logged in under the id by another one.
/// A registration that is undone looks in the same way, before and after that, for whoever has come by its token meanwhile.
///
/// *Thread:* its client's.
struct PhoneLogIn {
    private typealias Field = DeviceRegistry.Field

    /// Rounds after which documents that keep changing under our hands count as a failure of the store.
    static let roundLimit = 8

    let user: String
    private let entry: DeviceEntry
    let device: String
    let login: String?
    private let users: UserDevices
    /// Milliseconds since 1970; past what was known when the token was registered, after that.
    private(set) var now: Int64

    /// The phone's other tokens that this registration has retired.
    private(set) var retired: [DeviceRow] = []
    /// Whether the token was there, and the phone's, so that nothing is undone.
    private var isSame = false

    var registrar: DeviceRegistrar { users.registrar }
    var links: DeviceLinks { users.links }
    var address: DeviceAddress { entry.address }
    var token: LinkedToken { LinkedToken(entry.address) }

    /// - Returns: `nil` for an entry without an id.
    init?(user: String, entry: DeviceEntry, login: String?, users: UserDevices, now: Int64) {
        guard let device = entry.device else { return nil }
        self.user = user
        self.entry = entry
        self.device = device
        self.login = login
        self.users = users
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

    mutating func claim() throws(MongoError) -> Claim {
        let claim = try whose()
        isSame = claim == .same
        return claim
    }

    /// - Returns: the token's document as it was before; `nil` where there was none.
    mutating func register() throws(MongoError) -> DeviceRow? {
        let words = try otherRows().map { DeviceLife($0.document).lastWord }
        return try users.register(entry, for: user, after: words, now: &now)
    }

    /// Whether the phone is this token's alone.
    ///
    /// Its other tokens are retired, unless somebody else is logged in by one, or there is a later one: this one gives way
    /// then.
    mutating func holds(_ former: DeviceRow?) throws(MongoError) -> Bool {
        for _ in 0..<Self.roundLimit {
            var hold = try retire()
            if case .retired(let retirement) = hold { hold = try settle(retirement) }
            switch hold {
            case .holds: return true
            case .givesWay:
                try giveWay(former)
                return false
            case .retired: continue
            }
        }
        throw restless
    }

    /// The phone's other tokens, which were just retired.
    struct Retirement {
        /// By which nobody else may be logged in: these, and those of other push services or environments.
        let tokens: [LinkedToken]
        /// Whether none had changed since it was read.
        let isWhole: Bool
    }

    enum Hold {
        case holds
        case givesWay
        /// Somebody may be logged in by these.
        case retired(Retirement)
    }

    /// The first part of ``holds(_:)``.
    mutating func retire() throws(MongoError) -> Hold {
        let others = try otherRows()
        let tokens = others.compactMap(\.token) + retired.compactMap(\.token)
        let rivals = others.filter(isRival)
        if try isAnyoneElseThere(by: tokens) {
            try takeBack()
            return .givesWay
        }
        guard try mayRetire(rivals) else { return .givesWay }
        guard !rivals.isEmpty else { return .holds }
        let count = try registrar.retire(rivals, by: address, at: now)
        retired += rivals
        return .retired(Retirement(tokens: tokens, isWhole: count == rivals.count))
    }

    /// The second part: whoever has logged in by a token in between keeps it.
    ///
    /// - Returns: the retirement where it must be looked at again.
    func settle(_ retirement: Retirement) throws(MongoError) -> Hold {
        guard try isAnyoneElseThere(by: retirement.tokens) else {
            return retirement.isWhole ? .holds : .retired(retirement)
        }
        try takeBack()
        return .givesWay
    }

    /// Gives the phone's other tokens back what this registration has taken from them.
    func takeBack() throws(MongoError) {
        guard !retired.isEmpty else { return }
        try registrar.takeBack(retired, endedAt: now)
        // Whoever has registered one in between took it for dead.
        for row in retired { try links.resumeLife(of: row, endedAt: now) }
    }

    /// What linking has found.
    struct Linked {
        let isNews: Bool
        /// The user's link to the phone as it was before.
        let former: DeviceLink?
    }

    func link() throws(MongoError) -> Linked {
        let former = try links.link(of: user, on: device, app: address.app)
        let isNews = try users.link(user: user, device: device, to: address, login: login, now: now)
        return Linked(isNews: isNews, former: former)
    }

    enum Standing {
        case stands
        case givesWay
        /// The phone has ended with another account, whose process has not seen this link: it is registered anew.
        case again
    }

    /// Whether no other token has taken the phone's place meanwhile; the user's link is what it was, if it does not stand.
    func stands(_ linked: Linked, _ former: DeviceRow?) throws(MongoError) -> Standing {
        let row = try registrar.row(address)
        guard row?.device.isEnabled == true else {
            let reason = row?.device.disabledReason
            if reason == UserDevices.departed {
                try unlink(linked)
                return .again
            }
            if reason != DeviceRegistrar.replaced, try otherRows().isEmpty { return .stands }
            try unlink(linked)
            return .givesWay
        }
        // Who was told by it before is told still, whoever else is there.
        if let before = linked.former, before.isEnabled, before.token?.text == token.text { return .stands }
        let isContested = try links.isAnyoneElse(than: user, on: device, app: address.app, byOtherThan: token)
        guard isContested else { return .stands }
        try unlink(linked)
        try takeBack()
        if !isSame { try giveWay(former) }
        return .givesWay
    }

    private func unlink(_ linked: Linked) throws(MongoError) {
        if let former = linked.former, former.isEnabled, former.login == login, let before = former.token {
            try links.returnToken(of: former, from: token, to: before)
        } else {
            try links.refuse(user: user, by: token, app: address.app, on: device, at: now)
        }
    }

    /// Ends what the user had by this token under other ids: their app has made itself a new one.
    func leaveOtherIDs() throws(MongoError) {
        try links.logOut(user: user, by: token, app: address.app, butOn: device, at: now)
    }

    // MARK: -

    private func whose() throws(MongoError) -> Claim {
        if let known = try known() { return known }
        if try mayChangeToken() { return .free }
        // Whoever is logged in there may be so by this token, which was written before.
        return try known() ?? .taken
    }

    /// ``Claim/same`` where pushes go to this token, ``Claim/free`` where none do and the phone has never had another one; `nil`
    /// where its document says neither.
    private func known() throws(MongoError) -> Claim? {
        guard let row = try registrar.row(address), row.device.device.isExactly(device) else { return nil }
        if row.device.isEnabled { return .same }
        return try hasOtherToken() ? nil : .free
    }

    private func mayChangeToken() throws(MongoError) -> Bool {
        if try links.isAnyoneElse(than: user, on: device, app: address.app, butBy: token) { return false }
        let others = try otherRows()
        if try links.isAnyoneElse(than: user, by: others.compactMap(\.token), app: address.app) { return false }
        let isTheirs = try links.all(of: user).contains {
            $0.app.isExactly(address.app) && $0.device.isExactly(device) && $0.isEnabled
        }
        return isTheirs || others.isEmpty
    }

    /// Whether somebody else is logged in by a token of the phone that is not this one, or under its id by any other.
    private func isAnyoneElseThere(by tokens: [LinkedToken]) throws(MongoError) -> Bool {
        if try links.isAnyoneElse(than: user, by: tokens, app: address.app) { return true }
        return try links.isAnyoneElse(than: user, on: device, app: address.app, butBy: token)
    }

    /// Whether none of these is a later word than this token's; where somebody else is logged in by this one, who comes with
    /// the other gives way.
    private func mayRetire(_ rivals: [DeviceRow]) throws(MongoError) -> Bool {
        guard !rivals.isEmpty else { return true }
        func word(_ row: DeviceRow) -> (Int64, String) {
            (DeviceLife(row.document).lastWord ?? .min, row.device.token ?? "")
        }
        let own = try registrar.row(address).map(word) ?? (.min, "")
        guard rivals.contains(where: { word($0) > own }) else { return true }
        return try links.isAnyoneElse(than: user, by: [token], app: address.app)
    }

    /// Whether a token belongs where this one does: a phone has one of each.
    private func isRival(_ row: DeviceRow) -> Bool {
        row.device.address.map { $0.provider == address.provider && $0.environment == address.environment } ?? false
    }

    /// The phone's other tokens that may be pushed to.
    private func otherRows() throws(MongoError) -> [DeviceRow] {
        let filter = otherTokens { $0.append(Field.enabled, bool: true) }
        return try registrar.devices.find(filter, options: MongoFindOptions(readsMajority: true)).all()
            .compactMap(DeviceRow.init)
    }

    private func hasOtherToken() throws(MongoError) -> Bool {
        try registrar.devices.findOne(otherTokens { _ in }, options: MongoFindOptions(readsMajority: true)) != nil
    }

    private func otherTokens(_ more: (BSONWriter) -> Void) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.device, string: device)
            writer.append(Field.app, string: address.app)
            writer.append(Field.token) { $0.append("$ne", string: address.token) }
            more(writer)
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

extension DeviceRegistrar {
    /// The document of a token.
    func row(_ address: DeviceAddress) throws(MongoError) -> DeviceRow? {
        let filter = BSONDocument { DeviceKey.append(address, to: $0) }
        return try devices.findOne(filter, options: MongoFindOptions(readsMajority: true)).flatMap(DeviceRow.init)
    }
}
