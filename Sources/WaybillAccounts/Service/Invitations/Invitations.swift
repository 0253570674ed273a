package import WaybillMongo

/// Why nothing was done with an invitation.
package enum InvitationProblem: Error, Hashable, Sendable {
    /// About the service: it is not there for who asks, or they may not.
    case service(ServiceProblem)
    /// The service has no such invitation.
    case notFound
    /// It was answered or withdrawn, its week is over, or whoever made it may not invite any more.
    case over
    /// Who shows it belongs to the service already.
    case belongs
    /// The service has as many people as it may have.
    case full(Int)
    /// The service has as many invitations as it may have.
    case tooMany(Int)
}

/// Invites people to services; each write is in a majority's journal when it returns.
///
/// An invitation says nothing of whether its address has an account: whoever shows what its link holds is let in, once.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct Invitations {
    private typealias Field = ServiceLayout.InvitationField

    /// How many there may be of one service.
    package struct Limits: Hashable, Sendable {
        package var members: Int
        package var invitations: Int

        package init(members: Int, invitations: Int) {
            self.members = members
            self.invitations = invitations
        }
    }

    private let collection: MongoCollection
    private let services: ServiceReader
    private let members: ServiceMembers
    private let limits: Limits

    package init(client: MongoClient, database: String, limits: Limits) {
        collection = client.collection(database: database, name: ServiceLayout.invitations)
        services = ServiceReader(client: client, database: database)
        members = ServiceMembers(client: client, database: database)
        self.limits = limits
    }

    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - service: to which.
    ///   - role: as what; an owner is made by another one of those who belong to the service.
    ///   - email: where a mail is to go; `nil`: none is.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Returns: the invitation, its service, and what its link holds, which nobody can read again.
    /// - Throws: ``InvitationProblem``.
    package func create(
        to service: String,
        as role: ServiceRole,
        email: EmailAddress?,
        by account: String,
        now: Int64
    ) throws(InvitationProblem) -> (invitation: Invitation, service: ServiceDetails, secret: InvitationSecret) {
        let details = try authorise(account, .invite, service)
        guard role != .owner else { throw .service(.refused) }
        guard try open(service, now: now).count < limits.invitations else { throw .tooMany(limits.invitations) }
        let secret = InvitationSecret.generate()
        let invitation = Invitation(
            id: "inv_\(Base62.random(count: 16))",
            service: service,
            role: role,
            email: email,
            createdBy: account,
            createdAt: now,
            endsAt: now + Invitation.lifetime
        )
        try stored { () throws(MongoError) in
            let bulk = collection.bulk()
            try bulk.insert(invitation.document(secret.digest))
            try bulk.execute().requireDurable("write to \(ServiceLayout.invitations)")
        }
        return (invitation, details, secret)
    }

    /// The invitations of a service that nobody has answered, the latest first.
    package func list(_ service: String, by account: String, now: Int64) throws(InvitationProblem) -> [Invitation] {
        _ = try authorise(account, .invite, service)
        return try open(service, now: now).sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    }

    /// Ends an invitation that nobody has answered.
    package func withdraw(_ id: String, of service: String, by account: String, now: Int64) throws(InvitationProblem) {
        _ = try authorise(account, .invite, service)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.service, string: service)
            Self.requireOpen(writer, now: now)
        }
        guard try answer(filter, by: account, now: now) != nil else { throw .notFound }
    }

    /// What somebody is invited to.
    ///
    /// - Throws: ``InvitationProblem/over``.
    package func show(_ secret: InvitationSecret, now: Int64) throws(InvitationProblem)
        -> (invitation: Invitation, service: ServiceDetails)
    {
        let filter = BSONDocument { writer in
            writer.append(Field.digest, string: secret.digest.hexadecimal)
            Self.requireOpen(writer, now: now)
        }
        let found = try stored { () throws(MongoError) in
            try collection.findOne(filter, options: services.options(1)).flatMap(Invitation.init)
        }
        guard let found else { throw .over }
        do throws(ServiceProblem) {
            // Whoever may not invite any more has not invited anybody.
            return (found, try services.authorise(found.createdBy, .invite, found.service).service)
        } catch {
            if case .store = error { throw .service(error) }
            throw .over
        }
    }

    /// Lets somebody into the service; of several who show the same invitation, one comes in.
    ///
    /// - Parameters:
    ///   - secret: what the link holds.
    ///   - account: the id of who shows it.
    ///   - origin: the request, of which others are told; `nil`: nobody is told.
    ///   - now: milliseconds since 1970.
    /// - Returns: the service, and what they are to it.
    /// - Throws: ``InvitationProblem``.
    package func accept(
        _ secret: InvitationSecret,
        by account: String,
        origin: RequestOrigin? = nil,
        now: Int64
    ) throws(InvitationProblem) -> (service: ServiceDetails, membership: Membership) {
        let (invitation, service) = try show(secret, now: now)
        let own = try stored { () throws(MongoError) in try services.membership(of: account, in: invitation.service) }
        guard own == nil else { throw .belongs }
        let others = try stored { () throws(MongoError) in try services.members(of: invitation.service) }
        guard others.count < limits.members else { throw .full(limits.members) }
        // Its only owner may be deleting their account, and may be refused: the invitation is not used up.
        let isOwned = try stored { () throws(MongoError) in try services.hasStayingOwner(invitation.service) }
        guard isOwned else { throw .over }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: invitation.id)
            Self.requireOpen(writer, now: now)
        }
        guard try answer(filter, by: account, now: now) != nil else { throw .over }
        do throws(MemberProblem) {
            let joined = try members.join(
                invitation.service,
                account,
                as: invitation.role,
                most: limits.members,
                origin: origin,
                now: now
            )
            return (service, joined.membership)
        } catch {
            switch error {
            case .service(let problem): throw .service(problem)
            case .tooMany(let most): throw .full(most)
            case .unknown, .lastOwner, .ownsTooMany: throw .over
            }
        }
    }

    /// Ends an invitation for whoever holds it.
    package func decline(_ secret: InvitationSecret, by account: String, now: Int64) throws(InvitationProblem) {
        let (invitation, _) = try show(secret, now: now)
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: invitation.id)
            Self.requireOpen(writer, now: now)
        }
        guard try answer(filter, by: account, now: now) != nil else { throw .over }
    }

    // MARK: - Steps

    static func requireOpen(_ filter: BSONWriter, now: Int64) {
        filter.append(Field.answeredBy) { $0.append("$exists", bool: false) }
        filter.append(Field.expiresAt) { $0.append("$gt", date: now) }
    }

    /// One step, and the address is nobody's business any more.
    private func answer(_ filter: BSONDocument, by account: String, now: Int64) throws(InvitationProblem)
        -> BSONDocument?
    {
        try stored { () throws(MongoError) in
            try collection.findOneAndUpdate(
                filter,
                update: BSONDocument { update in
                    update.append("$set") { set in
                        set.append(Field.answeredBy, string: account)
                        set.append(Field.expiresAt, date: now)
                    }
                    update.append("$unset") { unset in
                        unset.append(Field.email, int: 1)
                        unset.append(Field.emailKey, int: 1)
                    }
                }
            )
        }
    }

    private func open(_ service: String, now: Int64) throws(InvitationProblem) -> [Invitation] {
        try stored { () throws(MongoError) in
            let filter = BSONDocument { writer in
                writer.append(Field.service, string: service)
                Self.requireOpen(writer, now: now)
            }
            return try collection.find(filter, options: services.options(ServiceReader.most)).all()
                .compactMap(Invitation.init)
        }
    }

    private func authorise(
        _ account: String,
        _ action: ServiceAction,
        _ service: String
    ) throws(InvitationProblem) -> ServiceDetails {
        do throws(ServiceProblem) {
            return try services.authorise(account, action, service).service
        } catch {
            throw .service(error)
        }
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(InvitationProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .service(.store(error))
        }
    }
}
