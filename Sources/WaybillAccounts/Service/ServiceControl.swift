package import WaybillMongo

/// What whoever runs the installation sees of a service.
package struct ServiceOverview: Hashable, Sendable {
    package let service: ServiceDetails
    /// Owners first.
    package let members: [Membership]
    package let keys: [ServiceKeyRecord]
}

/// Services for whoever runs the installation, who belongs to none of them; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceControl {
    private typealias Layout = ServiceLayout

    private let services: MongoCollection
    private let reader: ServiceReader
    private let keys: ServiceKeyReader
    private let memberships: MongoCollection
    private let derivedKey: DerivedKeyEnd

    package init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: Layout.services)
        memberships = client.collection(database: database, name: Layout.memberships)
        reader = ServiceReader(client: client, database: database)
        keys = ServiceKeyReader(client: client, database: database)
        derivedKey = DerivedKeyEnd(client: client, database: database)
    }

    /// Services, the latest first; none that was deleted.
    ///
    /// - Parameters:
    ///   - owner: those that this account owns alone; `nil`: all.
    ///   - limit: how many at the most.
    /// - Returns: the services.
    /// - Throws: what the store says.
    package func list(ownedBy owner: String? = nil, limit: Int) throws(MongoError) -> [ServiceDetails] {
        if let owner { return try reader.owned(by: owner).map(\.service).reversed().prefix(limit).map { $0 } }
        let filter = BSONDocument { writer in
            writer.append(Layout.ServiceField.deletedAt) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Layout.ServiceField.createdAt, int: -1) },
            limit: limit,
            maximumTime: .seconds(30),
            readsMajority: true
        )
        return try services.find(filter, options: options).all().compactMap(ServiceDetails.init)
    }

    /// A service; `nil` where there is none of this id.
    package func show(_ id: String) throws(MongoError) -> ServiceOverview? {
        guard let service = try reader.service(id) else { return nil }
        let members = try reader.members(of: id).sorted { ($1.role, $0.joinedAt) < ($0.role, $1.joinedAt) }
        return ServiceOverview(service: service, members: members, keys: try keys.keys(of: id))
    }

    /// Lets a service say nothing more, from its next request on; nothing of it is erased.
    ///
    /// - Returns: `nil` where there is none of this id.
    package func suspend(_ id: String, now: Int64) throws(MongoError) -> ServiceDetails? {
        // An earlier date is less than the new one and stays.
        try change(id) { $0.append("$min") { $0.append(Layout.ServiceField.suspendedAt, date: now) } }
    }

    /// Lets it speak again.
    ///
    /// - Returns: `nil` where there is none of this id.
    package func resume(_ id: String) throws(MongoError) -> ServiceDetails? {
        try change(id) { $0.append("$unset") { $0.append(Layout.ServiceField.suspendedAt, int: 1) } }
    }

    /// Gives a service to an account, which need not have belonged to it; who owned it manages it from then on, and the key that
    /// they could read has ended.
    ///
    /// - Parameters:
    ///   - id: the service's.
    ///   - account: the account's id; it is there.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` where there is no such service.
    /// - Throws: when it is not known to be durable, or the account was deleted meanwhile.
    package func transfer(_ id: String, to account: String, now: Int64) throws(MongoError) -> ServiceDetails? {
        guard let service = try reader.service(id) else { return nil }
        let before = try reader.members(of: id)
        let isMember = before.contains { $0.account == account }
        if !before.contains(where: { $0.account == account && $0.role == .owner }) {
            try derivedKey.end(id, heldBy: account, now: now)
        }
        // First the new owner: a fault between the two leaves two.
        try write(id, account, upsert: true) { update in
            update.append("$set") { set in
                set.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue)
                if !isMember {
                    set.append(Layout.MembershipField.levels, int: NotificationLevels.all.rawValue)
                    set.append(Layout.MembershipField.joinedAt, date: now)
                }
            }
            update.append("$unset") { $0.append(Layout.MembershipField.expiresAt, int: 1) }
        }
        let standing = try reader.accounts.standing(of: account)
        guard standing == .staying else {
            let former = standing == .asked ? before.first { $0.account == account } : nil
            try giveBack(id, account, former, now: now)
            throw Self.departed
        }
        let others = before.filter { $0.role == .owner && $0.account != account }
        // Also where nobody owns it any more: somebody did.
        if !others.isEmpty || !before.contains(where: { $0.role == .owner }) { try derivedKey.end(id, now: now) }
        for other in others {
            try write(id, other.account) { update in
                update.append("$set") { $0.append(Layout.MembershipField.role, string: ServiceRole.manager.rawValue) }
            }
        }
        // Its deletion has left the service while others owned it still.
        guard try reader.members(of: id).contains(where: { $0.role == .owner }) else {
            for other in others {
                try write(id, other.account) { update in
                    update.append("$set") { $0.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue) }
                }
            }
            throw Self.departed
        }
        return service
    }

    /// Makes somebody what they were to a service.
    private func giveBack(
        _ service: String,
        _ account: String,
        _ former: Membership?,
        now: Int64
    ) throws(MongoError) {
        try write(service, account) { update in
            update.append("$set") { set in
                if let former {
                    set.append(Layout.MembershipField.role, string: former.role.rawValue)
                } else {
                    set.append(Layout.MembershipField.expiresAt, date: now)
                }
            }
        }
    }

    private static var departed: MongoError {
        MongoError(
            code: .commandFailed,
            operation: "transfer a service",
            reason: "the account that was to own it was deleted, or is being deleted"
        )
    }

    private func change(_ id: String, _ update: (BSONWriter) -> Void) throws(MongoError) -> ServiceDetails? {
        let filter = BSONDocument { writer in
            writer.append(Layout.ServiceField.id, string: id)
            writer.append(Layout.ServiceField.deletedAt) { $0.append("$exists", bool: false) }
        }
        return try services.findOneAndUpdate(filter, update: BSONDocument(update)).flatMap(ServiceDetails.init)
    }

    private func write(
        _ service: String,
        _ account: String,
        upsert: Bool = false,
        _ update: (BSONWriter) -> Void
    ) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service, string: service)
            writer.append(Layout.MembershipField.account, string: account)
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: BSONDocument(update), upsert: upsert)
        try bulk.execute().requireDurable("write to \(Layout.memberships)")
    }
}
