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
/// A service has an owner at any time, and nobody is given a role by what they were before (``MembershipChange``). The key that owners
/// can read again ends with anybody's ownership: whoever had it knows it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceMembers {
    private typealias Field = ServiceLayout.MembershipField

    let services: ServiceReader
    private let memberships: MongoCollection
    let writes: MembershipWrites
    let untold: UntoldMemberships
    private let derivedKey: DerivedKeyEnd

    package init(client: MongoClient, database: String) {
        services = ServiceReader(client: client, database: database)
        memberships = client.collection(database: database, name: ServiceLayout.memberships)
        writes = MembershipWrites(client: client, database: database)
        untold = UntoldMemberships(client: client, database: database)
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
    ///   - origin: the request, of which others are told; `nil`: nobody is told.
    ///   - now: milliseconds since 1970.
    /// - Returns: what they are from then on.
    /// - Throws: ``MemberProblem``.
    package func change(
        _ role: ServiceRole,
        of other: String,
        in service: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(MemberProblem) -> Membership {
        var changing = changing(role, of: other, in: service, by: account, origin: origin, now: now)
        try changing.run()
        guard var membership = changing.decision?.membership else { throw .unknown }
        membership.role = role
        return membership
    }

    /// Takes somebody away from a service.
    ///
    /// - Parameters:
    ///   - other: an owner alone takes owners away.
    ///   - service: its id.
    ///   - account: the id of who asks.
    ///   - origin: the request, of which others are told; `nil`: nobody is told.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``MemberProblem``.
    package func remove(
        _ other: String,
        from service: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(MemberProblem) {
        var removing = removing(other, from: service, by: account, origin: origin, now: now)
        try removing.run()
    }

    /// Ends what somebody is to a service.
    package func leave(
        _ service: String,
        _ account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(MemberProblem) {
        try remove(account, from: service, by: account, origin: origin, now: now)
    }

    /// Gives a service to somebody who belongs to it; who gives it becomes a manager.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - other: the account's id of who gets it.
    ///   - account: the id of who asks.
    ///   - origin: the request, of which others are told; `nil`: nobody is told.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``MemberProblem``.
    package func transfer(
        _ service: String,
        to other: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(MemberProblem) {
        var transfer = transferring(service, to: other, by: account, origin: origin, now: now)
        try transfer.run()
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
            let filter = BSONDocument { writer in
                writer.append(Field.service, string: service)
                writer.append(Field.account, string: account)
            }
            let update = BSONDocument { update in
                update.append("$set") { set in
                    set.append(Field.levels, int: own.levels.rawValue)
                    if let muted = own.mutedUntil { set.append(Field.mutedUntil, date: muted) }
                }
                if own.mutedUntil == nil { update.append("$unset") { $0.append(Field.mutedUntil, int: 1) } }
            }
            let bulk = memberships.bulk()
            try bulk.updateOne(filter: filter, update: update, upsert: false)
            try bulk.execute().requireDurable("write to \(ServiceLayout.memberships)")
        }
        membership.levels = own.levels
        membership.mutedUntil = own.mutedUntil
        return membership
    }

    // MARK: - Steps

    func changing(
        _ role: ServiceRole,
        of other: String,
        in service: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) -> MembershipChange {
        change(now) { () throws(MemberProblem) in
            try authorise(account, .manageMembers, service)
            guard let membership = try member(other, service) else { throw .unknown }
            guard membership.role != role else { return .init(membership: membership, outcome: nil) }
            if role == .owner || membership.role == .owner { try authorise(account, .manageOwners, service) }
            if role == .owner { try prepare(other, toOwn: service, now: now) }
            let news = origin.map { MembershipNews(.changed(role), by: account, origin: $0, at: now) }
            return .init(membership: membership, outcome: .role(role), news: news)
        }
    }

    func removing(
        _ other: String,
        from service: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) -> MembershipChange {
        func end(_ membership: Membership) -> MembershipChange.Decision {
            let news = origin.map { MembershipNews(.removed, by: account, origin: $0, at: now) }
            return .init(membership: membership, outcome: .gone(now), news: news)
        }
        return change(now) { () throws(MemberProblem) in
            if other == account { return end(try authorise(account, .leave, service)) }
            try authorise(account, .manageMembers, service)
            guard let membership = try member(other, service) else { throw .unknown }
            if membership.role == .owner { try authorise(account, .manageOwners, service) }
            return end(membership)
        }
    }

    func transferring(
        _ service: String,
        to other: String,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) -> ServiceTransfer {
        let giving = change(now) { () throws(MemberProblem) in
            let giver = try authorise(account, .transfer, service)
            guard other != account else { return nil }
            guard let membership = try member(other, service) else { throw .unknown }
            guard membership.role != .owner else { return .init(membership: membership, outcome: nil, asker: giver) }
            try prepare(other, toOwn: service, now: now)
            let news = origin.map { MembershipNews(.received, by: account, origin: $0, at: now) }
            return .init(membership: membership, outcome: .role(.owner), news: news, asker: giver)
        }
        let (writes, derivedKey, untold) = (writes, derivedKey, untold)
        let given = origin.map { MembershipNews(.given(to: other), by: account, origin: $0, at: now) }
        return ServiceTransfer(giving, given: given) { owner, outcome, news in
            MembershipChange.ending(owner, outcome, telling: news, writes, derivedKey, now: now)
        } retract: { decision throws(MemberProblem) in
            guard let news = decision.news else { return }
            try MemberProblem.asking { () throws(MongoError) in try untold.settle(.init(decision.membership, news)) }
        }
    }

    /// Before somebody owns a service: they may, and a key that they knew before does not hold again.
    private func prepare(_ account: String, toOwn service: String, now: Int64) throws(MemberProblem) {
        try requireRoom(account, now: now)
        try stored { () throws(MongoError) in try derivedKey.end(service, heldBy: account, now: now) }
    }

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

    /// Takes somebody away who has come too late, whatever they are by now; nobody is told that they had come.
    func end(_ membership: Membership, untold news: MembershipNews?, now: Int64) throws(MemberProblem) {
        try retract(news, of: membership)
        var ending = change(now) { () throws(MemberProblem) in
            try member(membership.account, membership.service)
                .map { MembershipChange.Decision(membership: $0, outcome: .gone(now)) }
        }
        try ending.run()
    }

    func retract(_ news: MembershipNews?, of membership: Membership) throws(MemberProblem) {
        guard let news else { return }
        try stored { () throws(MongoError) in try untold.settle(.init(membership, news)) }
    }

    private func change(
        _ now: Int64,
        _ decide: @escaping () throws(MemberProblem) -> MembershipChange.Decision?
    ) -> MembershipChange {
        MembershipChange(writes, derivedKey, now: now, decide: decide)
    }

    func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(MemberProblem) -> Answer {
        try MemberProblem.asking(question)
    }
}
