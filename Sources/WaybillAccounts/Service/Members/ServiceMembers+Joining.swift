import WaybillMongo

extension ServiceMembers {
    /// Lets somebody in; one who belongs to the service already stays what they are.
    ///
    /// - Returns: what they are, and whether they have come just now.
    func join(
        _ service: String,
        _ account: String,
        as role: ServiceRole,
        most: Int,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(MemberProblem) -> (membership: Membership, isNew: Bool) {
        if let membership = try member(account, service) { return (membership, false) }
        let members = try stored { () throws(MongoError) in try services.members(of: service) }
        guard members.count < most else { throw .tooMany(most) }
        let news = origin.map { MembershipNews(.joined(role), by: account, origin: $0, at: now) }
        let isNew = try stored { () throws(MongoError) in
            try writes.admit(account, to: service, as: role, now: now, telling: news)
        }
        guard let joined = try member(account, service) else { throw .unknown }
        // The same person comes twice at once.
        guard isNew else { return (joined, false) }
        // One whose account has gone since has come too late; so has its deletion, if it does not see this.
        guard try stored({ () throws(MongoError) in try services.accounts.standing(of: account) }) != .gone else {
            try end(joined, untold: news, now: now)
            throw .service(.departed)
        }
        // So has one who comes while its only owner deletes their account, unless that has made them the owner.
        guard try stored({ () throws(MongoError) in try services.hasStayingOwner(service) }) else {
            let isEnded = try stored { () throws(MongoError) in
                joined.role == role ? try writes.write(.gone(now), for: joined) : false
            }
            if isEnded {
                try retract(news, of: joined)
                throw .unknown
            }
            guard let membership = try member(account, service) else { throw .unknown }
            return (membership, true)
        }
        // Of several that come at once each sees those before it: whoever sees too many gives way.
        guard try stored({ () throws(MongoError) in try services.members(of: service) }).count <= most else {
            try end(joined, untold: news, now: now)
            throw .tooMany(most)
        }
        return (joined, true)
    }
}
