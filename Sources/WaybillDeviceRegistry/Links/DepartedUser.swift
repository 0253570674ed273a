package import WaybillMongo

/// A user whose account has gone.
extension UserDevices {
    /// What a device's history says of one that was disabled with its user's account.
    package static let departed = "account_deleted"

    /// Sends no more of a user's pushes anywhere, and no pushes at all to the phones on which nobody else is logged in: they are
    /// disabled until somebody registers them again.
    ///
    /// - Parameters:
    ///   - user: whose account is going.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says; the same again does the rest.
    package func depart(user: String, now: Int64) throws(MongoError) {
        let own = try links.all(of: user).filter(\.isEnabled)
        for row in try Set(links.rows(of: own).joined()) {
            guard let address = row.device.address, try !links.isAnyoneElse(than: user, by: row) else { continue }
            _ = try registrar.disable(address, reason: Self.departed, now: now)
        }
        // Last, so that whoever does it again knows which phones these were.
        try links.logOut(user: user, of: .all, at: now)
    }
}

extension DeviceLinks {
    /// Whether somebody else's pushes go to a token: by a link that knows it, or by one of its phone that knows none.
    fileprivate func isAnyoneElse(than user: String, by row: DeviceRow) throws(MongoError) -> Bool {
        typealias Field = DeviceRegistry.LinkField
        guard let token = row.token, let app = row.device.app else { return false }
        if try isAnyoneElse(than: user, by: [token], app: app) { return true }
        guard let device = row.device.device else { return false }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            writer.appendNull(Field.token)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }
}
