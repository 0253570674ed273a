package import WaybillMongo

/// Reads services, who belongs to them, and whose key somebody has shown.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceReader {
    private typealias Layout = ServiceLayout

    private static let maximumTime = Duration.seconds(5)
    /// Services of one account, and accounts of one service.
    package static let most = 1000

    let services: MongoCollection
    let memberships: MongoCollection
    let keys: MongoCollection
    let accounts: AccountReader

    package init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: Layout.services)
        memberships = client.collection(database: database, name: Layout.memberships)
        keys = client.collection(database: database, name: Layout.keys)
        accounts = AccountReader(client: client, database: database)
    }

    /// Whether somebody may do something with a service, and the service: what every request about one asks first.
    ///
    /// - Parameters:
    ///   - account: the id of who asks; `nil` for nobody.
    ///   - action: what is wanted.
    ///   - service: which.
    /// - Returns: the service and what they are to it.
    /// - Throws: ``ServiceProblem/unknown`` also for a service that is not theirs, ``ServiceProblem/refused``.
    package func authorise(
        _ account: String?,
        _ action: ServiceAction,
        _ service: String
    ) throws(ServiceProblem) -> (service: ServiceDetails, membership: Membership) {
        let (found, membership) = try ServiceProblem.asking { () throws(MongoError) -> (ServiceDetails?, Membership?) in
            let membership = try account.flatMap { account throws(MongoError) in
                try self.membership(of: account, in: service)
            }
            return (try membership == nil ? nil : self.service(service), membership)
        }
        switch ServicePermission.of(action, role: found == nil ? nil : membership?.role) {
        case .granted:
            guard let found, let membership else { throw .unknown }
            return (found, membership)
        case .unknown: throw .unknown
        case .refused: throw .refused
        }
    }

    /// The services of which somebody is the owner, the oldest first.
    package func owned(by account: String) throws(MongoError) -> [(service: ServiceDetails, membership: Membership)] {
        try belonging(to: account, as: .owner)
    }

    /// The services to which somebody belongs, the oldest first.
    ///
    /// - Parameters:
    ///   - account: the id of who.
    ///   - role: those where they are this alone; `nil`: all.
    /// - Returns: each service and what they are to it.
    /// - Throws: what the store says.
    package func belonging(
        to account: String,
        as role: ServiceRole? = nil
    ) throws(MongoError) -> [(service: ServiceDetails, membership: Membership)] {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.account, string: account)
            if let role { writer.append(Layout.MembershipField.role, string: role.rawValue) }
        }
        let own = try memberships.find(filter, options: options(Self.most)).all().compactMap(Membership.init)
        guard !own.isEmpty else { return [] }
        let which = BSONDocument { writer in
            writer.append(Layout.ServiceField.id) { condition in
                condition.append(anyOf: own.map(\.service))
            }
        }
        let found = try services.find(which, options: options(Self.most)).all().compactMap(ServiceDetails.init)
        let byService = Dictionary(own.map { ($0.service, $0) }) { first, _ in first }
        return found.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
            .compactMap { service in byService[service.id].map { (service, $0) } }
    }

    /// The services whose keys somebody has shown, in three questions for all of them.
    ///
    /// - Parameters:
    ///   - keys: as they were shown.
    ///   - secrets: what keys are derived from.
    /// - Returns: one for each key: `nil` for nobody's key, one that was replaced, one that somebody knows who owns the service no
    ///   more, and one of a secret that has gone: who has stolen that can derive it.
    /// - Throws: what the store says.
    package func services(
        showing keys: [ServiceKey],
        secrets: ServiceKeySecrets
    ) throws(MongoError) -> [ShownService?] {
        let digests = keys.map(\.digest)
        let filter = BSONDocument { writer in
            writer.append(Layout.KeyField.digest) { $0.append(anyOf: Set(digests.map(\.hexadecimal))) }
        }
        var stored: [String: BSONDocument] = [:]
        for document in try self.keys.find(filter, options: options(keys.count)).all() {
            if let digest = document["\(Layout.KeyField.digest)"]?.string { stored[digest] = document }
        }
        let shown = digests.map { digest -> (service: String, createdAt: Int64)? in
            guard let document = stored[digest.hexadecimal],
                let found = document["\(Layout.KeyField.digest)"]?.string, digest.isStored(as: found),
                let id = document["\(Layout.KeyField.service)"]?.string,
                let createdAt = document["\(Layout.KeyField.createdAt)"]?.date,
                let root = document["\(Layout.KeyField.root)"]?.string, secrets.knows(root)
            else { return nil }
            return (id, createdAt)
        }
        let found = try services(Set(shown.compactMap { $0?.service }))
        // After the services: who owned one when its key was made is in its document.
        let members = try members(of: Set(found.keys))
        return shown.map { shown in
            guard let shown, let service = found[shown.service], service.keyCreatedAt == shown.createdAt else {
                return nil
            }
            let people = members[service.id] ?? []
            return service.isKeyTheirs(people) ? ShownService(service: service, members: people) : nil
        }
    }

    /// The services that have no owner but an account that leaves them, or has left them: as their owner, so many as are there.
    ///
    /// - Parameter account: the account's id.
    /// - Returns: the services' ids.
    /// - Throws: what the store says.
    func ownerless(but account: String) throws(MongoError) -> [String] {
        let there = try services(everOwned(by: account)).keys.sorted()
        let belonging = try members(of: Set(there))
        return there.filter { service in
            !(belonging[service] ?? []).contains { $0.role == .owner && $0.account != account }
        }
    }

    /// The services that somebody owns, or owned when they ended, and that are not there any more.
    ///
    /// - Parameter account: the account's id.
    /// - Returns: the services' ids.
    /// - Throws: what the store says.
    func ended(of account: String) throws(MongoError) -> [String] {
        let owned = try everOwned(by: account)
        return owned.subtracting(try services(owned).keys).sorted()
    }

    /// The services to which somebody belongs, or belonged until they left all of them at once, and that are there still.
    ///
    /// - Parameters:
    ///   - account: the account's id.
    ///   - now: milliseconds since 1970: what had ended before is not meant, though it may not be erased yet.
    /// - Returns: the services' ids.
    /// - Throws: what the store says.
    func outlasting(_ account: String, now: Int64) throws(MongoError) -> [String] {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.account, string: account)
            // Also where there is none.
            writer.append(Layout.MembershipField.expiresAt) { $0.append("$not") { $0.append("$lte", date: now) } }
            writer.append(Layout.MembershipField.goneAt) { $0.append("$exists", bool: false) }
        }
        let own = try memberships.find(filter, options: options(Self.most)).all()
        return try services(Set(own.compactMap { $0["\(Layout.MembershipField.service)"]?.string })).keys.sorted()
    }

    private func everOwned(by account: String) throws(MongoError) -> Set<String> {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.account, string: account)
            writer.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue)
        }
        return Set(
            try memberships.find(filter, options: options(Self.most)).all()
                .compactMap { $0["\(Layout.MembershipField.service)"]?.string }
        )
    }

    /// How many services somebody owns, those among them that were deleted and are not erased yet; at most so many are counted.
    func count(ownedBy account: String, most: Int, now: Int64) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.account, string: account)
            writer.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue)
            // Also where there is none.
            writer.append(Layout.MembershipField.expiresAt) { $0.append("$not") { $0.append("$lte", date: now) } }
            writer.append(Layout.MembershipField.goneAt) { $0.append("$exists", bool: false) }
        }
        return try memberships.find(filter, options: options(most)).all().count
    }

    /// Who belongs to a service.
    package func members(of service: String) throws(MongoError) -> [Membership] {
        try members(of: [service])[service] ?? []
    }

    /// Who belongs to each of some services, in one question.
    func members(of services: Set<String>) throws(MongoError) -> [String: [Membership]] {
        guard !services.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service) { $0.append(anyOf: services) }
        }
        let found = try memberships.find(filter, options: options(Self.most * services.count)).all()
        return Dictionary(grouping: found.compactMap(Membership.init), by: \.service)
    }

    /// Owners and managers of a service whose accounts may be used.
    package func managers(of service: String) throws(MongoError) -> [Account] {
        var people: [Account] = []
        for member in try members(of: service) where member.role >= .manager {
            guard let account = try accounts.account(id: member.account), account.suspendedAt == nil else { continue }
            people.append(account)
        }
        return people
    }

    /// The key of a service, as its owner can read it.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - secrets: what keys are derived from.
    /// - Returns: `nil` where the service or the secret has gone.
    /// - Throws: what the store says.
    package func key(of service: String, secrets: ServiceKeySecrets) throws(MongoError) -> ServiceKey? {
        guard let details = try self.service(service), let root = try roots(of: [details])[service] else { return nil }
        return secrets.key(service: service, createdAt: details.keyCreatedAt, root: root)
    }

    /// Which secrets services' keys were derived from, in two questions.
    ///
    /// - Parameter services: at most ``most``.
    /// - Returns: the secrets' names by the services' ids; none for a service whose key has ended.
    /// - Throws: what the store says.
    func roots(of services: [ServiceDetails]) throws(MongoError) -> [String: String] {
        let members = try members(of: Set(services.map(\.id)))
        let services = services.filter { $0.isKeyTheirs(members[$0.id] ?? []) }
        guard !services.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { either in
                    for service in services {
                        either.append { one in
                            one.append(Layout.KeyField.service, string: service.id)
                            one.append(Layout.KeyField.createdAt, date: service.keyCreatedAt)
                        }
                    }
                }
            )
            // The keys that are shown once have none.
            writer.append(Layout.KeyField.root) { $0.append("$exists", bool: true) }
        }
        var roots: [String: String] = [:]
        for document in try keys.find(filter, options: options(services.count)).all() {
            guard let service = document["\(Layout.KeyField.service)"]?.string else { continue }
            roots[service] = document["\(Layout.KeyField.root)"]?.string
        }
        return roots
    }

    /// A service by its id; `nil` for none.
    package func service(_ id: String) throws(MongoError) -> ServiceDetails? {
        let filter = BSONDocument { $0.append(Layout.ServiceField.id, string: id) }
        return try services.findOne(filter, options: options(1)).flatMap(ServiceDetails.init)
    }

    /// Services by their ids, in one question; those that are not there are left out.
    func services(_ ids: Set<String>) throws(MongoError) -> [String: ServiceDetails] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in writer.append(Layout.ServiceField.id) { $0.append(anyOf: ids) } }
        let found = try services.find(filter, options: options(ids.count)).all().compactMap(ServiceDetails.init)
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    func membership(of account: String, in service: String) throws(MongoError) -> Membership? {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service, string: service)
            writer.append(Layout.MembershipField.account, string: account)
        }
        return try memberships.findOne(filter, options: options(1)).flatMap(Membership.init)
    }

    func options(_ limit: Int) -> MongoFindOptions {
        MongoFindOptions(limit: limit, maximumTime: Self.maximumTime, readsMajority: true)
    }
}

/// A service whose key somebody has shown.
package struct ShownService: Hashable, Sendable {
    package let service: ServiceDetails
    /// Who belongs to it.
    let members: [Membership]
}

/// Why nothing was done with a service.
package enum ServiceProblem: Error, Hashable, Sendable {
    /// There is none of this id, or who asks does not belong to it.
    case unknown
    /// Who asks belongs to it, and may not do this.
    case refused
    /// Who asks has as many services as anybody may.
    case tooMany
    /// It is not as who asks has seen it.
    case changed
    /// The account of who asks was deleted meanwhile.
    case departed
    case store(MongoError)
}

extension ServiceProblem {
    /// Makes what the store says a problem.
    static func asking<Answer>(_ question: () throws(MongoError) -> Answer) throws(ServiceProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
