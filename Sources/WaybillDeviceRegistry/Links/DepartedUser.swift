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
        var isForgotten = false
        for _ in 0..<Self.departures {
            let own = try links.enabled(of: user)
            if own.isEmpty {
                if isForgotten { return }
                // Else whoever takes the end of a token's life back would log them in again.
                try links.forgetLives(of: user)
                isForgotten = true
                continue
            }
            for row in try Set(links.rows(of: own).joined()) { try disable(row, with: user, now: now) }
            // Last, so that whoever does it again knows which phones these were; and no others, which have come since.
            try links.logOut(these: own, at: now)
        }
        throw MongoError(
            code: .notDurable,
            operation: registrar.operation,
            reason: "phones keep being registered for an account that has gone"
        )
    }

    /// The same for one phone, which was registered beside the end of the account.
    ///
    /// - Parameters:
    ///   - user: whose account has gone.
    ///   - address: the phone's.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says; the same again does the rest.
    package func depart(user: String, from address: DeviceAddress, now: Int64) throws(MongoError) {
        if let row = try registrar.row(address) { try disable(row, with: user, now: now) }
        try links.logOut(user: user, by: LinkedToken(address), app: address.app, at: now)
    }

    /// How often phones may be registered meanwhile.
    private static let departures = 8

    private func disable(_ row: DeviceRow, with user: String, now: Int64) throws(MongoError) {
        var phone = PhoneDeparture(row, of: user, users: self, now: now)
        while try !phone.next() {}
    }
}

extension DeviceLinks {
    /// Where a user is logged in, at most ``mostDevices``.
    func enabled(of user: String) throws(MongoError) -> [DeviceLink] {
        typealias Field = DeviceRegistry.LinkField
        let filter = BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.enabled, bool: true)
        }
        let options = MongoFindOptions(limit: Self.mostDevices, readsMajority: true)
        return try links.find(filter, options: options).all().compactMap(DeviceLink.init)
    }

    /// Disables links that are as they were read.
    fileprivate func logOut(these own: [DeviceLink], at time: Int64) throws(MongoError) {
        typealias Field = DeviceRegistry.LinkField
        let bulk = links.bulk()
        for link in own {
            let filter = BSONDocument { writer in
                writer.append(Field.app, string: link.app)
                writer.append(Field.device, string: link.device)
                writer.append(Field.user, string: link.user)
                writer.append(Field.since, date: link.since)
                writer.append(Field.enabled, bool: true)
            }
            let update = BSONDocument { writer in
                writer.append("$set") { fields in
                    fields.append(Field.enabled, bool: false)
                    fields.append(Field.since, date: time)
                }
            }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        try bulk.execute().requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
    }
}
