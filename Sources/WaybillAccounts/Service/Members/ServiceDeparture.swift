import WaybillMongo

/// The services of somebody who has left all of them.
package struct LeftServices: Hashable, Sendable {
    /// Those that they owned and that are not there any more: nobody else belonged to them.
    package let ended: [String]
    /// Those that are there still, for others belong to them.
    package let others: [String]
}

/// Ends what an account is to services when nothing can keep it; each write is in a majority's journal when it returns.
///
/// Nobody joins a service meanwhile that has no owner but this account (``AccountStanding``). Where somebody belongs to one all the
/// same, such as by a request that has not ended, who is next to it owns it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct ServiceDeparture {
    private typealias Layout = ServiceLayout

    /// How often others may come or go meanwhile.
    private static let turns = 8

    private let memberships: MongoCollection
    private let reader: ServiceReader
    private let services: ServiceStore
    private let derivedKey: DerivedKeyEnd

    init(client: MongoClient, database: String, secrets: ServiceKeySecrets) {
        memberships = client.collection(database: database, name: Layout.memberships)
        reader = ServiceReader(client: client, database: database)
        services = ServiceStore(client: client, database: database, secrets: secrets)
        derivedKey = DerivedKeyEnd(client: client, database: database)
    }

    /// Leaves all services.
    ///
    /// - Parameters:
    ///   - account: the id; its deletion is decided.
    ///   - now: milliseconds since 1970.
    /// - Returns: which services these were, also where another run has left them.
    /// - Throws: what the store says; the same again does the rest.
    func leaveAll(_ account: String, now: Int64) throws(MongoError) -> LeftServices {
        for (service, _) in try reader.owned(by: account) {
            if try others(service.id, account).isEmpty {
                try end(service.id, account, now: now)
            } else {
                try derivedKey.end(service.id, now: now)
            }
        }
        try end(account, now: now)
        for service in try reader.ownerless(but: account) { try handOn(service, account, now: now) }
        // Whoever gives way to it may have given it back.
        try end(account, now: now)
        return LeftServices(
            ended: try reader.ended(of: account),
            others: try reader.outlasting(account, now: now)
        )
    }

    /// Those that belong to a service beside an account, and have not gone themselves.
    private func others(_ service: String, _ account: String) throws(MongoError) -> [Membership] {
        let others = try reader.members(of: service).filter { $0.account != account }
        let standing = try reader.accounts.standing(of: Set(others.map(\.account)))
        return others.filter { standing[$0.account] != .gone }
    }

    /// Makes whoever is next to a service its owner; one that nobody else belongs to ends.
    private func handOn(_ service: String, _ account: String, now: Int64) throws(MongoError) {
        for _ in 0..<Self.turns {
            let others = try others(service, account)
            let next = others.min { ($1.role, $0.joinedAt, $0.account) < ($0.role, $1.joinedAt, $1.account) }
            guard let next else {
                // Whoever ends a service owns it.
                _ = try own(service, account, isThere: false)
                return try end(service, account, now: now)
            }
            guard next.role != .owner else { return }
            try derivedKey.end(service, now: now)
            if try own(service, next.account, isThere: true) { return }
        }
        throw ServiceUpdates.restless
    }

    private func end(_ service: String, _ account: String, now: Int64) throws(MongoError) {
        do throws(ServiceProblem) {
            try services.delete(service, by: account, now: now)
        } catch {
            // Somebody has deleted it meanwhile, and nothing is left to do.
            if case .store(let error) = error { throw error }
        }
    }

    /// Makes somebody the owner of a service.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - account: the id.
    ///   - isThere: whether they must belong to it still; they did, else.
    /// - Returns: false where they do not.
    /// - Throws: when it is not known to be durable.
    private func own(_ service: String, _ account: String, isThere: Bool) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service, string: service)
            writer.append(Layout.MembershipField.account, string: account)
            if isThere { writer.append(Layout.MembershipField.expiresAt) { $0.append("$exists", bool: false) } }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue) }
            writer.append("$unset") { unset in
                for field in [Layout.MembershipField.expiresAt, Layout.MembershipField.goneAt] {
                    unset.append(field, int: 1)
                }
            }
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("write to \(Layout.memberships)")
        return result.matched == 1
    }

    private func end(_ account: String, now: Int64) throws(MongoError) {
        let bulk = memberships.bulk()
        let update = BSONDocument { writer in
            writer.append("$min") { $0.append(Layout.MembershipField.expiresAt, date: now + ServiceStore.remains) }
        }
        try bulk.updateMany(
            filter: BSONDocument { $0.append(Layout.MembershipField.account, string: account) },
            update: update
        )
        try bulk.execute().requireDurable("write to \(Layout.memberships)")
    }
}
