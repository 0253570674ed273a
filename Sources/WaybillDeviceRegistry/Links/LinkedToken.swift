import WaybillMongo
import WaybillTLS

/// The token by which somebody is logged in on a phone, as links have it: a hash, which says nothing of the token.
package struct LinkedToken: Hashable, Sendable {
    let text: String

    package init(_ address: DeviceAddress) {
        text = String(SHA256Hasher.digest(of: address.token.utf8).hexadecimal.prefix(32))
    }
}

extension DeviceLinks {
    private typealias Field = DeviceRegistry.LinkField

    /// Whether somebody else is logged in on a phone.
    ///
    /// - Parameters:
    ///   - user: who is not somebody else.
    ///   - device: the phone.
    ///   - app: as in the registry.
    ///   - token: those who are logged in by this one do not count; `nil`: all do.
    /// - Returns: true also for one of whom it is not known by which token.
    /// - Throws: what the store says.
    func isAnyoneElse(
        than user: String,
        on device: String,
        app: String,
        butBy token: LinkedToken? = nil
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            if let token { writer.append(Field.token) { $0.append("$ne", string: token.text) } }
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }

    /// Who else is logged in on a phone by one token, with the log-in.
    func others(
        than user: String,
        on device: String,
        app: String,
        by token: LinkedToken
    ) throws(MongoError) -> [(user: String, login: String?)] {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            writer.append(Field.token, string: token.text)
        }
        let options = MongoFindOptions(limit: Self.mostDevices, readsMajority: true)
        return try links.find(filter, options: options).all().compactMap { link in
            link["\(Field.user)"]?.string.map { (user: $0, login: link["\(Field.login)"]?.string) }
        }
    }

    /// Logs a user out of a phone where they are logged in by one token still.
    ///
    /// - Returns: whether they were.
    @discardableResult
    func logOut(
        user: String,
        device: String,
        app: String,
        by token: LinkedToken,
        at time: Int64
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user, string: user)
            writer.append(Field.enabled, bool: true)
            writer.append(Field.token, string: token.text)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.since, date: time)
            }
        }
        let bulk = links.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
        return result.matched > 0
    }
}
