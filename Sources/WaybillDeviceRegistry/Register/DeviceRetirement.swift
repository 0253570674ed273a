import WaybillMongo

/// What becomes of the tokens of one phone beside the one that it has registered, and of a registration that gives way.
///
/// A document changes only where it is as it was read, and under the same id still.
extension DeviceRegistrar {
    /// Ends pushing to tokens of a phone that has another one.
    ///
    /// - Parameters:
    ///   - rows: as they were read, under one id.
    ///   - successor: the phone's token.
    ///   - time: when it was registered, in milliseconds since 1970.
    /// - Returns: how many it was ended to; the others have changed since.
    /// - Throws: what the store says.
    func retire(_ rows: [DeviceRow], by successor: DeviceAddress, at time: Int64) throws(MongoError) -> Int {
        let bulk = devices.bulk()
        for row in rows {
            let update = RegistrationUpdate.replacement(by: successor, at: time)
            try bulk.updateOne(filter: unchanged(row), update: update, upsert: false)
        }
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched
    }

    /// Ends pushing to a token, unless its document has changed since it was read.
    ///
    /// - Parameters:
    ///   - row: as it was read.
    ///   - reason: why, a word.
    ///   - time: when, in milliseconds since 1970.
    /// - Returns: false where it has changed.
    /// - Throws: what the store says.
    func disable(_ row: DeviceRow, reason: String, at time: Int64) throws(MongoError) -> Bool {
        let bulk = devices.bulk()
        let update = DeviceUpdate.disable(reason: reason, at: time)
        try bulk.updateOne(filter: unchanged(row), update: update, upsert: false)
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched == 1
    }

    /// Undoes what has ended pushing to tokens, under whatever id one has come since.
    ///
    /// - Parameters:
    ///   - rows: as they were before.
    ///   - time: when that was.
    ///   - reason: why.
    /// - Throws: what the store says.
    func takeBack(
        _ rows: [DeviceRow],
        endedAt time: Int64,
        reason: String = DeviceRegistrar.replaced
    ) throws(MongoError) {
        let bulk = devices.bulk()
        for row in rows {
            let filter = BSONDocument { writer in
                writer.append("_id", identifier: row.id)
                writer.append(DeviceRegistry.Field.enabled, bool: false)
                writer.append(DeviceRegistry.Field.disabledAt, date: time)
                writer.append(DeviceRegistry.Field.disabledReason, string: reason)
            }
            let update = RegistrationUpdate.restoration(of: row.document, withDevice: false)
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        try bulk.execute().requireDurable(operation)
    }

    /// Undoes ``undo(_:to:now:)`` where that has ended pushing to a token.
    ///
    /// - Parameters:
    ///   - row: as it was.
    ///   - life: what it is where nobody has changed it since.
    /// - Throws: what the store says.
    func resume(_ row: DeviceRow, after life: DeviceLife) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append("_id", identifier: row.id)
            life.appendGuards(to: writer)
        }
        let bulk = devices.bulk()
        let update = RegistrationUpdate.restoration(of: row.document)
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable(operation)
    }

    /// Makes a token's document what it was before a registration.
    ///
    /// - Parameters:
    ///   - row: as it is.
    ///   - former: as it was; `nil` where it was not there: nothing is pushed to the token then.
    ///   - now: milliseconds since 1970.
    /// - Returns: false where it has changed since it was read.
    /// - Throws: what the store says.
    func undo(_ row: DeviceRow, to former: DeviceRow?, now: Int64) throws(MongoError) -> Bool {
        let update: BSONDocument
        if let former, row.device.isEnabled {
            update = RegistrationUpdate.restoration(of: former.document)
        } else if let former {
            // What has ended meanwhile stays so.
            update = RegistrationUpdate.relocation(to: former.document)
        } else {
            update = DeviceUpdate.disable(reason: Self.replaced, at: now)
        }
        let bulk = devices.bulk()
        try bulk.updateOne(filter: unchanged(row), update: update, upsert: false)
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched == 1
    }

    private func unchanged(_ row: DeviceRow) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", identifier: row.id)
            appendDevice(of: row, to: writer)
            DeviceLife(row.document).appendGuards(to: writer)
        }
    }

    private func appendDevice(of row: DeviceRow, to writer: BSONWriter) {
        if let device = row.device.device {
            writer.append(DeviceRegistry.Field.device, string: device)
        } else {
            writer.appendNull(DeviceRegistry.Field.device)
        }
    }
}
