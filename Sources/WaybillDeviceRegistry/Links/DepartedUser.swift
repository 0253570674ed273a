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
        for link in try links.all(of: user) where link.isEnabled {
            guard try !links.isAnyoneElse(than: user, on: link.device, app: link.app) else { continue }
            for address in try links.addresses(of: link.device, app: link.app) {
                _ = try registrar.disable(address, reason: Self.departed, now: now)
            }
        }
        // Last, so that whoever does it again knows which phones these were.
        try links.logOut(user: user, of: .all, at: now)
    }
}

extension DeviceLinks {
    /// The tokens of a phone that may be pushed to.
    fileprivate func addresses(of device: String, app: String) throws(MongoError) -> [DeviceAddress] {
        let filter = BSONDocument { writer in
            writer.append(DeviceRegistry.Field.device, string: device)
            writer.append(DeviceRegistry.Field.app, string: app)
            writer.append(DeviceRegistry.Field.enabled, bool: true)
        }
        return try devices.find(filter, options: MongoFindOptions(readsMajority: true)).all().compactMap {
            Device($0).address
        }
    }
}
