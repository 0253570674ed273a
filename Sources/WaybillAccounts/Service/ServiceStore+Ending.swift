package import WaybillMongo

/// Ends services; each write is in a majority's journal when it returns.
///
/// A deletion is decided first, in the service's document: nobody sees it then, and its keys are dead. What is left is done by the
/// same request, or later by any process (``begun(before:limit:)``).
extension ServiceStore {
    private typealias Layout = ServiceLayout

    /// Deletes a service.
    ///
    /// - Parameters:
    ///   - id: the service's.
    ///   - account: the id of who asks.
    ///   - origin: the request; `nil` where it goes with something else that is told.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be done then.
    /// - Throws: ``ServiceProblem``: nothing has changed.
    package func decideEnd(
        of id: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(ServiceProblem) -> ServiceEnding {
        let ending = ServiceEnding(service: id, account: account, at: now, origin: origin)
        _ = try updates.update(id, by: account, .delete, removing: [Layout.ServiceField.image], now: now) { set, _ in
            ending.append(to: set)
        }
        return ending
    }

    /// Does what is left of a deletion in these collections: images, keys, and that anybody belongs to the service.
    ///
    /// - Throws: what the store says; the same again does the rest.
    package func finish(_ ending: ServiceEnding) throws(MongoError) {
        try images.eraseAll(of: ending.service, now: ending.at)
        try expireParts(of: ending.service, now: ending.at)
        let filter = BSONDocument { writer in
            writer.append(Layout.ServiceField.id, string: ending.service)
            writer.append(Layout.ServiceField.deletionBegunAt, date: ending.at)
        }
        let update = BSONDocument { $0.append("$unset") { $0.append(Layout.ServiceField.deletion, int: 1) } }
        let bulk = services.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.services)")
    }

    /// Deletes a service with all that is in these collections.
    ///
    /// - Throws: ``ServiceProblem``; what the store says may leave a part to others.
    package func delete(_ id: String, by account: String, now: Int64) throws(ServiceProblem) {
        let ending = try decideEnd(of: id, by: account, now: now)
        try ServiceProblem.asking { () throws(MongoError) in try finish(ending) }
    }

    /// Ends a service that was made for an account that has gone, and that nobody else knows.
    ///
    /// Whether its owner may is not asked: the deletion may have ended that already. It does the same where it sees the service.
    func takeBack(_ service: String, of owner: String, now: Int64) throws(MongoError) {
        let ending = ServiceEnding(service: service, account: owner, at: now, origin: nil)
        let bulk = services.bulk()
        try bulk.updateOne(
            filter: BSONDocument { $0.append(Layout.ServiceField.id, string: service) },
            update: BSONDocument { writer in writer.append("$set") { ending.append(to: $0) } },
            upsert: false
        )
        try bulk.execute().requireDurable("write to \(Layout.services)")
        try finish(ending)
    }

    /// Deletions that nobody has done to their end.
    ///
    /// - Parameters:
    ///   - time: they were decided before it, in milliseconds since 1970: whoever works on one is not looked for.
    ///   - limit: how many at the most.
    /// - Returns: those, in no order.
    /// - Throws: what the store says.
    package func begun(before time: Int64, limit: Int) throws(MongoError) -> [ServiceEnding] {
        let filter = BSONDocument { writer in
            writer.append(Layout.ServiceField.deletionBegunAt) { $0.append("$lt", date: time) }
        }
        return try services.find(filter, options: reader.options(limit)).all().compactMap(ServiceEnding.init)
    }

    /// Ends a service's keys, and that anybody belongs to it.
    private func expireParts(of service: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { $0.append(Layout.KeyField.service, string: service) }
        try expire(keys, filter, Layout.KeyField.expiresAt, at: now + Self.remains)
        try expire(memberships, filter, Layout.MembershipField.expiresAt, at: now + Self.remains)
    }
}
