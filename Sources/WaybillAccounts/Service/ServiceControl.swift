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
    private let client: MongoClient
    private let database: String

    package init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: Layout.services)
        reader = ServiceReader(client: client, database: database)
        keys = ServiceKeyReader(client: client, database: database)
        self.client = client
        self.database = database
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
        var transfer = OperatorTransfer(id, to: account, client: client, database: database, now: now)
        do throws(MemberProblem) {
            try transfer.run()
        } catch {
            if case .service(.store(let error)) = error { throw error }
            throw Self.departed
        }
        return service
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
}
