package import WaybillEncoding
package import WaybillMongo

/// Who is logged in on which phone: the collection `device_links`, one document of each user of an app's installation.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `app` | string | as in `devices` |
/// | `device` | string | the app's own installation id, as in `devices` |
/// | `user` | string | who |
/// | `enabled` | bool | whether the user's pushes go there: from the log-in to the log-out |
/// | `since` | date | since when that is so |
/// | `login` | string | the log-in, in `logins`, in which the app has registered the phone: with its end the link is disabled; absent where that is not known |
/// | `token` | string | a hash of the token by which the app has registered the phone; absent where that is not known |
/// | `token_document` | any | the `_id` of that token's document in `devices`; absent where that is not known |
/// | `life_ended` | date | when the life of its token ended, by which it was disabled last; absent where that was by nothing such |
///
/// A phone keeps its token when A logs out and B logs in. So a push for a user goes by links: it reaches the token by which
/// that user is logged in, under whatever id it comes meanwhile, and no other token under the link's own id. Where a link
/// does not know its token, those of its id count. Nothing is erased.
///
/// *Thread:* its client's.
package struct DeviceLinks {
    private typealias Field = DeviceRegistry.LinkField

    /// More devices of one user than this are not asked for.
    package static let mostDevices = 1000
    private static let usersOfOne = 50

    let links: MongoCollection
    let devices: MongoCollection

    package init(client: MongoClient, database: String) {
        links = client.collection(database: database, name: DeviceRegistry.links)
        devices = client.collection(database: database, name: DeviceRegistry.collection)
    }

    /// Notes that a user has logged in on a device.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - device: the app's own installation id.
    ///   - app: as in the registry.
    ///   - login: in which log-in the app says so; `nil`: nobody knows.
    ///   - token: by which token; `nil`: nobody knows.
    ///   - time: when, in milliseconds since 1970: word of a time before what is known changes nothing.
    /// - Returns: whether anything has changed.
    /// - Throws: what the store says.
    package func logIn(
        user: String,
        device: String,
        app: String,
        login: String? = nil,
        by token: LinkedToken? = nil,
        at time: Int64
    ) throws(MongoError) -> Bool {
        try note(user, device, app, isEnabled: true, login: login, token: token, time)
    }

    /// Notes that a user has logged out of a device, which gets no more of that user's pushes.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - device: the app's own installation id.
    ///   - app: as in the registry.
    ///   - time: when, in milliseconds since 1970; of a log-in at the same time, the log-out counts.
    /// - Returns: whether anything has changed.
    /// - Throws: what the store says.
    package func logOut(user: String, device: String, app: String, at time: Int64) throws(MongoError) -> Bool {
        try note(user, device, app, isEnabled: false, login: nil, token: nil, time)
    }

    /// Notes that a user has logged out of what a link leads to, under whatever other id they are logged in there, too.
    ///
    /// - Parameters:
    ///   - link: the user's.
    ///   - time: when, in milliseconds since 1970: now, also where the clock of whoever has made the link is ahead.
    /// - Throws: what the store says; the same again is safe.
    package func logOut(_ link: DeviceLink, at time: Int64) throws(MongoError) {
        let time = max(time, link.since + 1)
        _ = try logOut(user: link.user, device: link.device, app: link.app, at: time)
        guard let token = link.token else { return }
        try logOut(user: link.user, by: token, app: link.app, at: time)
    }

    /// The devices that a push for a user goes to: those with a link and a token that may be pushed to.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - app: of which app.
    /// - Returns: one for each token.
    /// - Throws: what the store says.
    package func devices(of user: String, app: String) throws(MongoError) -> [Device] {
        try devices(of: [user], app: app)
    }

    /// The same for several users, in two questions for fifty of them.
    ///
    /// - Parameters:
    ///   - users: each once.
    ///   - app: of which app.
    /// - Returns: those of the users together; a device of several may come more than once.
    /// - Throws: what the store says.
    package func devices(of users: [String], app: String) throws(MongoError) -> [Device] {
        let found = try devices(ofEach: users, app: app)
        return users.flatMap { found[$0] ?? [] }
    }

    /// The same, by the users to whom the devices belong.
    ///
    /// - Parameters:
    ///   - users: each once.
    ///   - app: of which app.
    ///   - place: an installation's own id, whose token is left out; `nil`: none is.
    /// - Returns: those of each user; who has none is left out.
    /// - Throws: what the store says.
    package func devices(
        ofEach users: [String],
        app: String,
        except place: String? = nil
    ) throws(MongoError) -> [ExactName: [Device]] {
        var found: [ExactName: [Device]] = [:]
        for start in stride(from: 0, to: users.count, by: Self.usersOfOne) {
            let part = users[start..<min(start + Self.usersOfOne, users.count)]
            let some = try devices(ofSome: part, app, except: place)
            found.merge(some) { $0 + $1 }
        }
        return found
    }

    private func devices(
        ofSome users: ArraySlice<String>,
        _ app: String,
        except place: String?
    ) throws(MongoError) -> [ExactName: [Device]] {
        let options = MongoFindOptions(limit: Self.mostDevices * users.count, readsMajority: true)
        let filter = BSONDocument { writer in
            writer.append(Field.user) { condition in
                condition.append(anyOf: users)
            }
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: true)
        }
        let linked = try links.find(filter, options: options).all().compactMap(DeviceLink.init)
        var (found, rows): ([ExactName: [Device]], [ExactName: Set<BSONIdentifier>]) = ([:], [:])
        let all = zip(linked, try self.rows(of: linked))
        // The place's token under another id is the place's still.
        for (link, own) in all where place.isExactly(link.device) {
            rows[ExactName(link.user), default: []].formUnion(own.map(\.id))
        }
        for (link, own) in all where !place.isExactly(link.device) {
            for row in own where place == nil || !row.device.device.isExactly(place) {
                // One who is logged in by the same token under two ids is told once.
                guard rows[ExactName(link.user), default: []].insert(row.id).inserted else { continue }
                found[ExactName(link.user), default: []].append(row.device)
            }
        }
        return found
    }

    /// The devices on which a user is logged in, but for the latest.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - app: of which app.
    ///   - most: how many are left out.
    /// - Returns: their ids.
    /// - Throws: what the store says.
    func devices(of user: String, app: String, beyond most: Int) throws(MongoError) -> [String] {
        let options = MongoFindOptions(
            sort: BSONDocument { writer in
                writer.append(Field.since, int: -1)
                writer.append(Field.device, int: 1)
            },
            limit: Self.mostDevices,
            skip: most,
            readsMajority: true
        )
        return try links.find(enabled(user, app), options: options).all().compactMap { $0["\(Field.device)"]?.string }
    }

    private func enabled(_ user: String, _ app: String) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: true)
        }
    }

    /// Sends no more of a user's pushes to the devices of log-ins.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - logins: which.
    ///   - time: when, in milliseconds since 1970.
    /// - Throws: what the store says; the same again is safe.
    package func logOut(user: String, of logins: LinkedLogins, at time: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.enabled, bool: true)
            switch logins {
            case .all: break
            case .allBut(let login):
                writer.append(Field.login) { condition in
                    condition.append("$exists", bool: true)
                    condition.append("$ne", string: login)
                }
            case .these(let ids): writer.append(Field.login) { $0.append(anyOf: ids) }
            }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.since, date: time)
            }
        }
        let bulk = links.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
    }

    /// The apps of a user's installations, with the installations' own ids, and whether the user is logged in there.
    ///
    /// - Parameter user: who.
    /// - Returns: one for each installation, at most ``mostDevices``.
    /// - Throws: what the store says.
    package func all(of user: String) throws(MongoError) -> [DeviceLink] {
        let filter = BSONDocument { $0.append(Field.user, string: user) }
        let options = MongoFindOptions(limit: Self.mostDevices, readsMajority: true)
        return try links.find(filter, options: options).all().compactMap(DeviceLink.init)
    }

    /// What is registered of the devices of links, where the user is logged in still.
    ///
    /// What is registered after that is its next user's. Of a token that is registered under another id than the link's, it is the token
    /// alone: the rest is another phone's.
    ///
    /// - Parameter links: of one user.
    /// - Returns: of each that is enabled and has a token that may be pushed to.
    /// - Throws: what the store says.
    package func registered(_ links: [DeviceLink]) throws(MongoError) -> [DeviceLink: Device] {
        let enabled = links.filter(\.isEnabled)
        var found: [DeviceLink: Device] = [:]
        for (link, rows) in zip(enabled, try rows(of: enabled)) {
            guard let device = rows.last?.device else { continue }
            found[link] = device.device.isExactly(link.device) ? device : device.tokenAlone
        }
        return found
    }

    private func note(
        _ user: String,
        _ device: String,
        _ app: String,
        isEnabled: Bool,
        login: String?,
        token: LinkedToken?,
        _ time: Int64
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user, string: user)
            // One who is logged in there already is so by the new log-in, and by the new token.
            writer.append(
                "$or",
                array: { either in
                    either.append { $0.append(Field.enabled) { $0.append("$ne", bool: isEnabled) } }
                    for (field, text) in [(Field.login, login), (Field.token, token?.text)] {
                        guard let text else { continue }
                        either.append { $0.append(field) { $0.append("$ne", string: text) } }
                    }
                    if let document = token?.document {
                        either.append { way in
                            way.append(Field.tokenDocument) { $0.append("$ne", identifier: document) }
                        }
                    }
                }
            )
            // Of a log-in and a log-out at the same time, the log-out counts; of two log-ins, the one that is written last.
            writer.append(
                "$nor",
                array: { neither in
                    neither.append { link in link.append(Field.since) { $0.append("$gt", date: time) } }
                    guard isEnabled else { return }
                    neither.append { link in
                        link.append(Field.since, date: time)
                        link.append(Field.enabled, bool: false)
                    }
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: isEnabled)
                fields.append(Field.since, date: time)
                if let login { fields.append(Field.login, string: login) }
                if let token { fields.append(Field.token, string: token.text) }
                if let document = token?.document { fields.append(Field.tokenDocument, identifier: document) }
            }
            guard isEnabled, login == nil || token?.document == nil else { return }
            writer.append("$unset") { fields in
                if login == nil { fields.append(Field.login, int: 1) }
                if token == nil { fields.append(Field.token, int: 1) }
                if token?.document == nil { fields.append(Field.tokenDocument, int: 1) }
            }
        }
        // Where the link says so already, or knows of a later time, the upsert meets the unique index; and where somebody else
        // has made it a moment ago. It is there then, so that a plain update tells which.
        for upserts in [true, false] {
            let bulk = links.bulk()
            try bulk.updateOne(filter: filter, update: update, upsert: upserts)
            let answer = bulk.execute()
            try answer.requireDurableOrDuplicate("link in \(links.database).\(DeviceRegistry.links)")
            if answer.matched + answer.upserted == 1 { return true }
        }
        return false
    }
}

/// Which of a user's log-ins end on their devices.
package enum LinkedLogins: Hashable, Sendable {
    /// Those of these ids.
    case these([String])
    /// All but that of this id; a device of which nobody knows the log-in stays.
    case allBut(String)
    /// All, and with them the devices of which nobody knows the log-in.
    case all
}
