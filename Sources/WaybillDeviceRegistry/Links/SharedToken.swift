import WaybillEncoding
import WaybillMongo

/// A token that comes for one user while others may be logged in by it.
///
/// What is said of a token, and the id under which it stands, is its phone's: that of the people who are logged in under that
/// id. Whoever comes with the token under another id is a guest there, who is told by it and changes nothing of that.
extension UserDevices {
    /// Registers a token for a user.
    ///
    /// - Parameters:
    ///   - entry: what the user's app says of it.
    ///   - user: who.
    ///   - words: what is known of the phone's other tokens, in milliseconds since 1970.
    ///   - now: milliseconds since 1970; the time that the registration has, after that.
    /// - Returns: its document as it was before; `nil` where there was none.
    /// - Throws: what the store says; the same again is safe.
    func register(
        _ entry: DeviceEntry,
        for user: String,
        after words: [Int64?] = [],
        now: inout Int64
    ) throws(MongoError) -> DeviceRow? {
        let former = try registrar.row(entry.address)
        let known = former.flatMap { DeviceLife($0.document).latest }
        now = try time(of: user, app: entry.address.app, after: words + [known], now: now)
        var entry = entry
        entry.registeredAt = now
        var ended: Int64?
        if let former {
            if let end = DeviceLife(former.document).end {
                if let time = entry.registeredAt, time > end {
                    ended = try links.endLife(of: former, comingAs: entry.device)
                }
            } else if !former.device.device.isExactly(entry.device) {
                if try links.isAnyoneElse(than: user, at: former) {
                    entry = entry.ofGuest
                } else {
                    try links.tie(to: former)
                }
            }
        }
        _ = try registrar.register([entry], now: now, retires: false)
        // Whoever had disabled it may have taken that back meanwhile: it is the same life then, and not one that we have begun.
        if let ended, let row = try registrar.row(entry.address) {
            let life = DeviceLife(row.document)
            if life.isEnabled, life.registeredAt ?? .min <= ended { try links.resumeLife(of: row, endedAt: ended) }
        }
        return former
    }
}

extension DeviceEntry {
    /// That the token is alive, and nothing else.
    fileprivate var ofGuest: DeviceEntry {
        var entry = DeviceEntry(address: address, kind: kind)
        entry.registeredAt = registeredAt
        return entry
    }
}

extension DeviceLinks {
    private typealias Field = DeviceRegistry.LinkField

    /// Whether somebody else is logged in by a token under the id under which it stands.
    fileprivate func isAnyoneElse(than user: String, at row: DeviceRow) throws(MongoError) -> Bool {
        guard let device = row.device.device, let app = row.device.app, let token = row.token else { return false }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            writer.append(
                "$or",
                array: { either in
                    either.append { $0.append(Field.token, string: token.text) }
                    either.append { $0.appendNull(Field.token) }
                }
            )
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }

    /// Whether a user who comes with a token alone may be logged in under the id under which it stands.
    ///
    /// Not where they are logged in there by another token, which would end; and not where others have been, and they never
    /// were: the id is their apps' own, and is shown to nobody else.
    ///
    /// - Parameters:
    ///   - user: who.
    ///   - token: with which.
    ///   - device: the id.
    ///   - app: as in the registry.
    /// - Returns: true also for an id under which nobody ever was.
    /// - Throws: what the store says.
    func admits(
        _ user: String,
        by token: LinkedToken,
        under device: String,
        app: String
    ) throws(MongoError) -> Bool {
        if let own = try link(of: user, on: device, app: app) {
            return !own.isEnabled || own.token == nil || own.token?.text == token.text
        }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) == nil
    }
}
