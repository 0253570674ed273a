import WaybillMongo

extension ServiceMembers {
    private typealias Field = ServiceLayout.MembershipField

    /// Lets somebody in; one who belongs to the service already stays what they are.
    ///
    /// - Returns: what they are, and whether they have come just now.
    func join(_ service: String, _ account: String, as role: ServiceRole, most: Int, now: Int64) throws(MemberProblem)
        -> (membership: Membership, isNew: Bool)
    {
        if let membership = try member(account, service) { return (membership, false) }
        let members = try stored { () throws(MongoError) in try services.members(of: service) }
        guard members.count < most else { throw .tooMany(most) }
        let joined = try stored { () throws(MongoError) -> Membership? in
            // One who was there before has a document that waits to be erased.
            try write(service, account, upsert: true) { update in
                update.append("$set") { set in
                    set.append(Field.role, string: role.rawValue)
                    set.append(Field.levels, int: NotificationLevels.all.rawValue)
                    set.append(Field.joinedAt, date: now)
                }
                update.append("$unset") { unset in
                    unset.append(Field.expiresAt, int: 1)
                    unset.append(Field.mutedUntil, int: 1)
                }
            }
            return try services.membership(of: account, in: service)
        }
        guard let joined else { throw .unknown }
        // One whose account has gone since has come too late; so has its deletion, if it does not see this.
        guard try stored({ () throws(MongoError) in try services.accounts.standing(of: account) }) != .gone else {
            try end(joined, now: now)
            throw .service(.departed)
        }
        // So has one who comes while its only owner deletes their account, unless that has made them the owner.
        guard try stored({ () throws(MongoError) in try services.hasStayingOwner(service) }) else {
            if try stored({ () throws(MongoError) in try giveWay(joined, now: now) }) { throw .unknown }
            guard let membership = try member(account, service) else { throw .unknown }
            return (membership, true)
        }
        // Of several that come at once each sees those before it: whoever sees too many gives way.
        guard try stored({ () throws(MongoError) in try services.members(of: service) }).count <= most else {
            try end(joined, now: now)
            throw .tooMany(most)
        }
        return (joined, true)
    }

    /// Takes somebody away again who has come too late.
    ///
    /// - Returns: false where they are something else to the service by now.
    private func giveWay(_ joined: Membership, now: Int64) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: joined.service)
            writer.append(Field.account, string: joined.account)
            writer.append(Field.role, string: joined.role.rawValue)
        }
        let update = BSONDocument { $0.append("$set") { $0.append(Field.expiresAt, date: now) } }
        return try memberships.findOneAndUpdate(filter, update: update) != nil
    }
}
