import WaybillMongo

/// The lives of a token: each from a registration until the token is disabled.
///
/// Who is logged in by a token is so for one of them. Whoever registers a token that was disabled, because its phone had
/// another one or the push service called it dead, has nobody told there but themselves: the others say it again, too, if it
/// is theirs.
extension DeviceLinks {
    private typealias Field = DeviceRegistry.LinkField

    /// Logs out whoever was logged in by a token when it was disabled.
    ///
    /// Before it is registered again: nobody else is told in between.
    ///
    /// - Parameters:
    ///   - row: the token's document, disabled.
    ///   - device: the id under which it comes again; who is logged in there, nobody knows by which token, is so by this one.
    /// - Returns: when that was; `nil` where nobody knows.
    /// - Throws: what the store says; the same again is safe.
    func endLife(of row: DeviceRow, comingAs device: String?) throws(MongoError) -> Int64? {
        let life = DeviceLife(row.document)
        // A link of the life that begins is of a later time than the end of the one before.
        guard let app = row.device.app, let token = row.token, let end = life.disabledAt ?? life.invalidSince else {
            return nil
        }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: true)
            writer.append(Field.since) { $0.append("$lte", date: end) }
            writer.append(
                "$or",
                array: { either in
                    either.append { $0.append(Field.token, string: token.text) }
                    guard let device else { return }
                    either.append { link in
                        link.append(Field.device, string: device)
                        link.appendNull(Field.token)
                    }
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.since, date: Self.since(end))
                fields.append(Field.lifeEnded, date: end)
            }
        }
        let bulk = links.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
        return end
    }

    /// Since when who was logged in in a life is so no more: at its end, whoever has ended it logs in by another token.
    private static func since(_ end: Int64) -> Int64 { end - 1 }

    /// Undoes ``endLife(of:comingAs:)`` for a token of which it has turned out that it was not at its end.
    ///
    /// - Parameters:
    ///   - row: the token's document.
    ///   - end: when the life was thought to have ended.
    /// - Throws: what the store says; the same again is safe.
    func resumeLife(of row: DeviceRow, endedAt end: Int64) throws(MongoError) {
        guard let app = row.device.app, let token = row.token else { return }
        let filter = BSONDocument { writer in
            writer.append(Field.token, string: token.text)
            writer.append(Field.app, string: app)
            writer.append(Field.enabled, bool: false)
            // Who has logged out at that very moment stays so.
            writer.append(Field.since, date: Self.since(end))
            writer.append(Field.lifeEnded, date: end)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(Field.enabled, bool: true) }
            writer.append("$unset") { $0.append(Field.lifeEnded, int: 1) }
        }
        let bulk = links.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("link in \(links.database).\(DeviceRegistry.links)")
    }

    /// No life that ended for a user resumes.
    func forgetLives(of user: String) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.user, string: user)
            writer.append(Field.lifeEnded) { $0.append("$exists", bool: true) }
        }
        let bulk = links.bulk()
        try bulk.updateMany(
            filter: filter,
            update: BSONDocument { writer in writer.append("$unset") { $0.append(Field.lifeEnded, int: 1) } }
        )
        try bulk.execute().requireDurable("unlink in \(links.database).\(DeviceRegistry.links)")
    }
}
