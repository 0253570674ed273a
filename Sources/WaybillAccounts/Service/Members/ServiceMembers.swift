package import WaybillMongo

/// Why nothing was done with who belongs to a service.
package enum MemberProblem: Error, Hashable, Sendable {
    /// About the service: it is not there for who asks, or they may not.
    case service(ServiceProblem)
    /// Nobody of this account's id belongs to the service.
    case unknown
    /// The service would have no owner.
    case lastOwner
    /// The service has as many people as it may have.
    case tooMany(Int)
    /// The person owns as many services as anybody may.
    case ownsTooMany
}

/// Somebody who belongs to a service, as those see them who may change that.
package struct ServiceMember: Hashable, Sendable {
    package let membership: Membership
    /// `nil` where the account has gone.
    package let name: AccountName?
}

/// What somebody says of how a service tells them.
package struct OwnMembership: Hashable, Sendable {
    package var levels: NotificationLevels
    /// Milliseconds since 1970; `nil`: nothing is muted.
    package var mutedUntil: Int64?

    package init(levels: NotificationLevels, mutedUntil: Int64?) {
        self.levels = levels
        self.mutedUntil = mutedUntil
    }
}

/// Who belongs to a service, and as what; each write is in a majority's journal when it returns.
///
/// A service has an owner at any time: whoever has taken the last one away sees that afterwards, and gives it back. Of two who do so at
/// once, both do. The key that owners can read again ends with anybody's ownership: whoever had it knows it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceMembers {
    private typealias Field = ServiceLayout.MembershipField

    let services: ServiceReader
    let memberships: MongoCollection
    private let derivedKey: DerivedKeyEnd

    package init(client: MongoClient, database: String) {
        services = ServiceReader(client: client, database: database)
        memberships = client.collection(database: database, name: ServiceLayout.memberships)
        derivedKey = DerivedKeyEnd(client: client, database: database)
    }

    /// Who belongs to a service: owners first, then by when they came.
    package func list(_ service: String, by account: String) throws(MemberProblem) -> [ServiceMember] {
        try authorise(account, .readMembers, service)
        return try stored { () throws(MongoError) in
            let members = try services.members(of: service)
            let names = try services.accounts.names(of: members.map(\.account))
            return members.sorted { ($1.role, $0.joinedAt, $0.account) < ($0.role, $1.joinedAt, $1.account) }
                .map { ServiceMember(membership: $0, name: names[$0.account]) }
        }
    }

    /// Makes somebody something else to a service.
    ///
    /// - Parameters:
    ///   - role: an owner alone makes owners, or takes that from one.
    ///   - other: the account's id of who belongs to the service.
    ///   - service: its id.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Returns: what they are from then on.
    /// - Throws: ``MemberProblem``.
    package func change(
        _ role: ServiceRole,
        of other: String,
        in service: String,
        by account: String,
        now: Int64
    ) throws(MemberProblem) -> Membership {
        try authorise(account, .manageMembers, service)
        guard var membership = try member(other, service) else { throw .unknown }
        guard membership.role != role else { return membership }
        if role == .owner || membership.role == .owner { try authorise(account, .manageOwners, service) }
        if role == .owner { try requireRoom(other, now: now) }
        if membership.role == .owner { try disown(other, service, now: now) }
        try stored { () throws(MongoError) in
            if role == .owner { try derivedKey.end(service, heldBy: other, now: now) }
            try set(role, of: other, in: service)
        }
        if membership.role == .owner { try requireOwner(service, orElse: other) }
        membership.role = role
        return membership
    }

    /// Takes somebody away from a service.
    ///
    /// - Parameters:
    ///   - other: an owner alone takes owners away.
    ///   - service: its id.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``MemberProblem``.
    package func remove(_ other: String, from service: String, by account: String, now: Int64) throws(MemberProblem) {
        if other == account { return try leave(service, account, now: now) }
        try authorise(account, .manageMembers, service)
        guard let membership = try member(other, service) else { throw .unknown }
        if membership.role == .owner { try authorise(account, .manageOwners, service) }
        try end(membership, now: now)
    }

    /// Ends what somebody is to a service.
    package func leave(_ service: String, _ account: String, now: Int64) throws(MemberProblem) {
        try end(authorise(account, .leave, service), now: now)
    }

    /// Gives a service to somebody who belongs to it; who gives it becomes a manager.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - other: the account's id of who gets it.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``MemberProblem``.
    package func transfer(_ service: String, to other: String, by account: String, now: Int64) throws(MemberProblem) {
        try authorise(account, .transfer, service)
        guard other != account else { return }
        guard let membership = try member(other, service) else { throw .unknown }
        if membership.role != .owner { try requireRoom(other, now: now) }
        // First the new owner: a fault between the two leaves two.
        try stored { () throws(MongoError) in
            if membership.role != .owner { try derivedKey.end(service, heldBy: other, now: now) }
            try set(.owner, of: other, in: service)
            try derivedKey.end(service, now: now)
            try set(.manager, of: account, in: service)
        }
        try requireOwner(service, orElse: account)
    }

    // MARK: - One's own

    /// What somebody is to a service, and what they are told of it.
    package func own(_ service: String, _ account: String) throws(MemberProblem) -> Membership {
        try authorise(account, .read, service)
    }

    /// Changes of what a service tells somebody.
    package func change(_ own: OwnMembership, of account: String, in service: String) throws(MemberProblem)
        -> Membership
    {
        var membership = try authorise(account, .changeOwnLevels, service)
        try stored { () throws(MongoError) in
            try write(service, account) { update in
                update.append("$set") { set in
                    set.append(Field.levels, int: own.levels.rawValue)
                    if let muted = own.mutedUntil { set.append(Field.mutedUntil, date: muted) }
                }
                if own.mutedUntil == nil { update.append("$unset") { $0.append(Field.mutedUntil, int: 1) } }
            }
        }
        membership.levels = own.levels
        membership.mutedUntil = own.mutedUntil
        return membership
    }

    // MARK: - Steps

    @discardableResult
    private func authorise(
        _ account: String,
        _ action: ServiceAction,
        _ service: String
    ) throws(MemberProblem) -> Membership {
        do throws(ServiceProblem) {
            return try services.authorise(account, action, service).membership
        } catch {
            throw .service(error)
        }
    }

    func member(_ account: String, _ service: String) throws(MemberProblem) -> Membership? {
        try stored { () throws(MongoError) in try services.membership(of: account, in: service) }
    }

    private func requireRoom(_ account: String, now: Int64) throws(MemberProblem) {
        let most = ServiceStore.mostOwned
        let owned = try stored { () throws(MongoError) in
            try services.count(ownedBy: account, most: most, now: now)
        }
        guard owned < most else { throw .ownsTooMany }
    }

    /// Before somebody owns a service no more: others do, and the key that they can read is another one.
    private func disown(_ account: String, _ service: String, now: Int64) throws(MemberProblem) {
        let isOwned = try stored { () throws(MongoError) in
            try services.members(of: service).contains { $0.role == .owner && $0.account != account }
        }
        guard isOwned else { throw .lastOwner }
        try stored { () throws(MongoError) in try derivedKey.end(service, now: now) }
    }

    func end(_ membership: Membership, now: Int64) throws(MemberProblem) {
        if membership.role == .owner { try disown(membership.account, membership.service, now: now) }
        try stored { () throws(MongoError) in
            try write(membership.service, membership.account) { update in
                update.append("$set") { $0.append(Field.expiresAt, date: now) }
            }
        }
        if membership.role == .owner { try requireOwner(membership.service, orElse: membership.account) }
    }

    /// Makes somebody the owner again where nobody is whose account stays.
    private func requireOwner(_ service: String, orElse account: String) throws(MemberProblem) {
        let isOwned = try stored { () throws(MongoError) -> Bool in
            if try services.hasStayingOwner(service) { return true }
            try write(service, account) { update in
                update.append("$set") { $0.append(Field.role, string: ServiceRole.owner.rawValue) }
                update.append("$unset") { $0.append(Field.expiresAt, int: 1) }
            }
            return false
        }
        guard isOwned else { throw .lastOwner }
    }

    private func set(_ role: ServiceRole, of account: String, in service: String) throws(MongoError) {
        try write(service, account) { update in
            update.append("$set") { $0.append(Field.role, string: role.rawValue) }
        }
    }

    func write(
        _ service: String,
        _ account: String,
        upsert: Bool = false,
        _ update: (BSONWriter) -> Void
    ) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: service)
            writer.append(Field.account, string: account)
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: BSONDocument(update), upsert: upsert)
        let result = bulk.execute()
        // The same person comes twice at once.
        if upsert, result.writeErrors.contains(where: \.isDuplicateKey) { return }
        try result.requireDurable("write to \(ServiceLayout.memberships)")
    }

    func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(MemberProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .service(.store(error))
        }
    }
}
