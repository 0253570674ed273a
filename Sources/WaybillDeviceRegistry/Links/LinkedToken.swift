package import WaybillMongo
import WaybillTLS

/// The token by which somebody is logged in on a phone, as links have it: a hash, which says nothing of the token.
package struct LinkedToken: Hashable, Sendable {
    let text: String
    /// The `_id` of its document in `devices`, by which it is found under whatever id it has come since.
    let document: BSONIdentifier?

    package init(_ address: DeviceAddress, document: BSONIdentifier? = nil) {
        text = Self.hash(address.token)
        self.document = document
    }

    /// - Returns: `nil` where a link does not say it.
    init?(link: BSONDocument) {
        guard let text = link["\(DeviceRegistry.LinkField.token)"]?.string else { return nil }
        self.text = text
        document = link.identifier("\(DeviceRegistry.LinkField.tokenDocument)")
    }

    static func hash(_ token: String) -> String {
        String(SHA256Hasher.digest(of: token.utf8).hexadecimal.prefix(32))
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
    ///   - token: those who are logged in by this one do not count.
    /// - Returns: true also for one of whom it is not known by which token.
    /// - Throws: what the store says.
    func isAnyoneElse(
        than user: String,
        on device: String,
        app: String,
        butBy token: LinkedToken
    ) throws(MongoError) -> Bool {
        try isAnyoneElse(than: user, on: device, app: app) { $0.append("$ne", string: token.text) }
    }

    /// Whether somebody else is logged in by one of these tokens, under whatever id.
    func isAnyoneElse(
        than user: String,
        by tokens: [LinkedToken],
        app: String
    ) throws(MongoError) -> Bool {
        guard !tokens.isEmpty else { return false }
        let filter = BSONDocument { writer in
            writer.append(Field.token) { $0.append(anyOf: tokens.map(\.text)) }
            writer.append(Field.app, string: app)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }

    /// Whether somebody else is logged in on a phone by another token, of which it is known.
    func isAnyoneElse(
        than user: String,
        on device: String,
        app: String,
        byOtherThan token: LinkedToken
    ) throws(MongoError) -> Bool {
        try isAnyoneElse(than: user, on: device, app: app) { condition in
            condition.append("$type", string: "string")
            condition.append("$ne", string: token.text)
        }
    }

    // The token: the condition on the one by which they are logged in.
    private func isAnyoneElse(
        than user: String,
        on device: String,
        app: String,
        token: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            writer.append(Field.token, document: token)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }

    /// Whether somebody is logged in by a token, other than a user under one id.
    func isAnyone(
        by token: LinkedToken,
        but user: String,
        on device: String,
        app: String
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.token, string: token.text)
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: true)
            writer.append(
                "$or",
                array: { either in
                    either.append { link in link.append(Field.user) { $0.append("$ne", string: user) } }
                    either.append { link in link.append(Field.device) { $0.append("$ne", string: device) } }
                }
            )
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }

    /// Ends a link that was made for a registration that is refused.
    ///
    /// It does not know its token any more: with no life of that token it begins again.
    func refuse(
        user: String,
        by token: LinkedToken,
        app: String,
        on device: String,
        at time: Int64
    ) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user, string: user)
            writer.append(Field.token, string: token.text)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.since, date: time)
            }
            writer.append("$unset") { fields in
                fields.append(Field.token, int: 1)
                fields.append(Field.tokenDocument, int: 1)
            }
        }
        let bulk = links.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
    }

    /// Ties whoever is logged in by a token to its document.
    ///
    /// Before the document comes under another id, so that they stay logged in by it.
    ///
    /// - Parameter row: the token's document; of no effect where it has no id of an installation.
    /// - Throws: what the store says; the same again is safe.
    func tie(to row: DeviceRow) throws(MongoError) {
        guard let device = row.device.device, let app = row.device.app, let token = row.token else { return }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.enabled, bool: true)
            writer.append(Field.tokenDocument) { $0.append("$exists", bool: false) }
            writer.append(
                "$or",
                array: { either in
                    either.append { $0.append(Field.token, string: token.text) }
                    either.append { $0.appendNull(Field.token) }
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.token, string: token.text)
                fields.append(Field.tokenDocument, identifier: row.id)
            }
        }
        let bulk = links.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("tie links in \(links.database).\(DeviceRegistry.links)")
    }

    /// A user's link to a phone.
    func link(of user: String, on device: String, app: String) throws(MongoError) -> DeviceLink? {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user, string: user)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)).flatMap(DeviceLink.init)
    }

    /// Gives a link that holds the token back that it had before another one.
    func returnToken(of link: DeviceLink, from token: LinkedToken, to former: LinkedToken) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: link.app)
            writer.append(Field.device, string: link.device)
            writer.append(Field.user, string: link.user)
            writer.append(Field.enabled, bool: true)
            writer.append(Field.token, string: token.text)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.token, string: former.text)
                if let document = former.document { fields.append(Field.tokenDocument, identifier: document) }
            }
            guard former.document == nil else { return }
            writer.append("$unset") { $0.append(Field.tokenDocument, int: 1) }
        }
        let bulk = links.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("link in \(links.database).\(DeviceRegistry.links)")
    }

    /// Logs a user out wherever they are logged in by one token.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - token: by which.
    ///   - app: as in the registry.
    ///   - place: under this id alone; `nil`: under all.
    ///   - kept: under all but this one, where they have been logged in since before the time.
    ///   - time: when, in milliseconds since 1970.
    /// - Throws: what the store says; the same again is safe.
    func logOut(
        user: String,
        by token: LinkedToken,
        app: String,
        on place: String? = nil,
        butOn kept: String? = nil,
        at time: Int64
    ) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: true)
            writer.append(Field.token, string: token.text)
            if let place { writer.append(Field.device, string: place) }
            if let kept {
                writer.append(Field.device) { $0.append("$ne", string: kept) }
                writer.append(Field.since) { $0.append("$lt", date: time) }
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
}
