import WaybillMongo

/// When somebody logs in on a phone, whose words come through processes with clocks of their own.
///
/// What a person does now is the latest word of it, also where the clock of whoever writes it is behind that of those who have
/// written before: its time goes forward past what is known.
extension UserDevices {
    /// - Parameters:
    ///   - user: who logs in or out now.
    ///   - app: of which app.
    ///   - times: what else is known, in milliseconds since 1970.
    ///   - now: milliseconds since 1970.
    /// - Returns: a time that is later than each of these and than all that is known of the user's phones; `now` where it is.
    /// - Throws: what the store says.
    func time(of user: String, app: String, after times: [Int64?], now: Int64) throws(MongoError) -> Int64 {
        let known = times.compactMap { $0 } + [try links.latest(of: user, app: app)].compactMap { $0 }
        return known.filter { $0 < .max }.reduce(now) { max($0, $1 + 1) }
    }

    /// Notes that a user has logged in by a token, whatever time others have noted meanwhile.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - device: the id by which the link goes.
    ///   - address: the token's.
    ///   - login: in which log-in; `nil`: nobody knows.
    ///   - now: milliseconds since 1970.
    /// - Returns: false where the link says so already.
    /// - Throws: what the store says.
    func link(
        user: String,
        device: String,
        to address: DeviceAddress,
        login: String?,
        now: Int64
    ) throws(MongoError) -> Bool {
        let token = LinkedToken(address, document: try registrar.row(address)?.id)
        var time = now
        for _ in 0..<Self.roundLimit {
            let isNews = try links.logIn(
                user: user,
                device: device,
                app: address.app,
                login: login,
                by: token,
                at: time
            )
            if isNews { return true }
            guard let link = try links.link(of: user, on: device, app: address.app) else { continue }
            if link.leads(to: token, in: login) { return false }
            time = max(time, link.since + 1)
        }
        throw restless
    }
}

extension DeviceLink {
    /// Whether somebody is logged in by a token, and in a log-in, as far as that is known.
    fileprivate func leads(to token: LinkedToken, in login: String?) -> Bool {
        isEnabled && self.token?.text == token.text
            && (token.document == nil || self.token?.document == token.document)
            && (login == nil || self.login == login)
    }
}

extension DeviceLinks {
    /// Since when the latest of a user's links is as it is, in milliseconds since 1970; `nil` for one who has none.
    fileprivate func latest(of user: String, app: String) throws(MongoError) -> Int64? {
        typealias Field = DeviceRegistry.LinkField
        let filter = BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.app, string: app)
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.since, int: -1) },
            limit: 1,
            readsMajority: true
        )
        return try links.find(filter, options: options).all().first.flatMap { $0["\(Field.since)"]?.date }
    }
}
