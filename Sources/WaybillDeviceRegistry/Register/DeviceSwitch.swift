package import WaybillMongo

/// What a person, or an app that is logged out, says of a token: push to it, or do not.
extension DeviceRegistrar {
    /// Ends pushing to a token.
    ///
    /// - Parameters:
    ///   - address: the device.
    ///   - reason: why, a word.
    ///   - now: milliseconds since 1970.
    /// - Returns: whether it could be pushed to before.
    /// - Throws: what the store says.
    package func disable(_ address: DeviceAddress, reason: String, now: Int64) throws(MongoError) -> Bool {
        try change(address, wasEnabled: true, DeviceUpdate.disable(reason: reason, at: now))
    }

    /// Allows pushing to a token again, whatever has ended it; the next refusal ends it once more.
    ///
    /// - Returns: whether it was disabled before.
    package func enable(_ address: DeviceAddress, reason: String, now: Int64) throws(MongoError) -> Bool {
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(DeviceRegistry.Field.enabled, bool: true) }
            writer.append("$unset") { fields in
                fields.append(DeviceRegistry.Field.disabledAt, string: "")
                fields.append(DeviceRegistry.Field.disabledReason, string: "")
                fields.append(DeviceRegistry.Field.invalidSince, string: "")
                fields.append(DeviceRegistry.Field.suspectedAt, string: "")
                fields.append(DeviceRegistry.Field.suspectedReason, string: "")
            }
            DeviceUpdate.appendHistory(DeviceHistoryEvent(at: now, kind: .enabled, reason: reason), to: writer)
        }
        return try change(address, wasEnabled: false, update)
    }

    private func change(
        _ address: DeviceAddress,
        wasEnabled: Bool,
        _ update: BSONDocument
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            DeviceKey.append(address, to: writer)
            writer.append(DeviceRegistry.Field.enabled) { $0.append(wasEnabled ? "$ne" : "$eq", bool: false) }
        }
        let bulk = devices.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched == 1
    }
}
