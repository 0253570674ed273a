import WaybillMongo

/// Writes single memberships: each only while its person is what the write was decided by.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct MembershipWrites {
    private typealias Field = ServiceLayout.MembershipField

    /// What somebody becomes.
    enum Outcome: Hashable {
        case role(ServiceRole)
        /// Does not belong to the service any more, since this moment, in milliseconds since 1970.
        case gone(Int64)
    }

    /// Who owns a service beside somebody.
    enum OtherOwners: Hashable {
        /// Somebody stays.
        case stay
        /// All whose accounts stay may cease to, by their ids: somebody ends those ownerships at this moment.
        case mayEnd(Set<String>)
        case none
    }

    /// Whoever ends an ownership is done, or has died, after so many milliseconds, however far two clocks are apart.
    private static let disowningLasts: Int64 = 60_000

    let reader: ServiceReader
    private let memberships: MongoCollection

    init(client: MongoClient, database: String) {
        reader = ServiceReader(client: client, database: database)
        memberships = client.collection(database: database, name: ServiceLayout.memberships)
    }

    /// Makes somebody something else.
    ///
    /// - Parameters:
    ///   - outcome: what.
    ///   - membership: as it was read.
    ///   - id: of the end of their ownership, which nobody must have taken the place of; `nil`: they own nothing.
    ///   - news: what is to be told of it; `nil`: nothing.
    /// - Returns: false where they are something else by now: nothing has changed.
    /// - Throws: when it is not known to be durable.
    func write(
        _ outcome: Outcome,
        for membership: Membership,
        disowning id: String? = nil,
        telling news: MembershipNews? = nil
    ) throws(MongoError) -> Bool {
        try change(membership, disowning: id) { update in
            update.append("$set") { set in
                switch outcome {
                case .role(let role): set.append(Field.role, string: role.rawValue)
                case .gone(let time):
                    // Who tells of it finds it for as long.
                    set.append(Field.expiresAt, date: news?.keptUntil ?? time)
                    set.append(Field.goneAt, date: time)
                }
            }
            update.append("$unset") { $0.append(Field.disowning, int: 1) }
            news?.appendPush(to: update)
        }
    }

    /// Lets somebody in who does not belong to a service, or not any more.
    ///
    /// - Returns: false where they belong to it by now: they stay what they are.
    /// - Throws: when it is not known to be durable.
    func admit(
        _ account: String,
        to service: String,
        as role: ServiceRole,
        now: Int64,
        telling news: MembershipNews? = nil
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: service)
            writer.append(Field.account, string: account)
            // One who was there before has a document that waits to be erased; of any other, the index refuses a second.
            writer.append(Field.expiresAt) { $0.append("$exists", bool: true) }
        }
        let update = BSONDocument { update in
            update.append("$set") { set in
                set.append(Field.role, string: role.rawValue)
                set.append(Field.levels, int: NotificationLevels.all.rawValue)
                set.append(Field.joinedAt, date: now)
            }
            update.append("$unset") { unset in
                for field in [Field.expiresAt, Field.goneAt, Field.mutedUntil, Field.disowning] {
                    unset.append(field, int: 1)
                }
            }
            news?.appendPush(to: update)
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: true)
        let result = bulk.execute()
        if result.writeErrors.contains(where: \.isDuplicateKey) { return false }
        try result.requireDurable("write to \(ServiceLayout.memberships)")
        return true
    }

    // MARK: - The end of an ownership

    /// Says that an ownership is to end, in place of whoever has said so: nobody counts on this owner from then on.
    ///
    /// - Returns: the end's id; `nil` where they are something else by now.
    /// - Throws: when it is not known to be durable.
    func announce(_ membership: Membership, now: Int64) throws(MongoError) -> String? {
        let disowning = Membership.Disowning(id: Base62.random(count: 16), at: now)
        let isAnnounced = try change(membership) { update in
            update.append("$set") { set in
                set.append(Field.disowning) { document in
                    document.append(Field.id, string: disowning.id)
                    document.append(Field.at, date: disowning.at)
                }
            }
        }
        return isAnnounced ? disowning.id : nil
    }

    /// Takes back that an ownership is to end, unless somebody else has said so since.
    func withdraw(_ membership: Membership, _ id: String) throws(MongoError) {
        _ = try change(membership, disowning: id) { update in
            update.append("$unset") { $0.append(Field.disowning, int: 1) }
        }
    }

    /// Who owns a service beside somebody; what nobody has lived to end is taken back.
    func owners(_ service: String, beside account: String, now: Int64) throws(MongoError) -> OtherOwners {
        func look() throws(MongoError) -> [Membership] {
            let owners = try reader.members(of: service).filter { $0.role == .owner && $0.account != account }
            let standing = try reader.accounts.standing(of: Set(owners.map(\.account)))
            return owners.filter { standing[$0.account] == .staying }
        }
        var staying = try look()
        var hasChanged = false
        for owner in staying {
            guard let disowning = owner.disowning, abs(now - disowning.at) > Self.disowningLasts else { continue }
            try withdraw(owner, disowning.id)
            hasChanged = true
        }
        if hasChanged { staying = try look() }
        if staying.contains(where: { $0.disowning == nil }) { return .stay }
        return staying.isEmpty ? .none : .mayEnd(Set(staying.map(\.account)))
    }

    private func change(
        _ membership: Membership,
        disowning id: String? = nil,
        _ update: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: membership.service)
            writer.append(Field.account, string: membership.account)
            writer.append(Field.role, string: membership.role.rawValue)
            writer.append(Field.expiresAt) { $0.append("$exists", bool: false) }
            if let id { writer.append(Field.disowningID, string: id) }
        }
        return try memberships.findOneAndUpdate(filter, update: BSONDocument(update)) != nil
    }
}
