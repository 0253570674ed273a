import WaybillMongo

/// Makes a new key the one of a service that its owners can read again, together with who owns the service then: it holds as long as
/// all of them do.
///
/// Who owns the service is looked up after its document was read, and is written where that is as it was. Whoever stops owning it
/// ends its key before (``DerivedKeyEnd``), which changes that document: so who is not among the owners here has not stopped since, and
/// who came later ends this key when they go.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct DerivedKeyIssue {
    private typealias Field = ServiceLayout.ServiceField

    private let services: MongoCollection
    private let reader: ServiceReader

    init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: ServiceLayout.services)
        reader = ServiceReader(client: client, database: database)
    }

    /// Makes a key the service's, unless there is a later one.
    ///
    /// - Parameters:
    ///   - createdAt: when the key was made, which the store knows already.
    ///   - service: whose it is to be.
    ///   - account: the id of who asks.
    /// - Returns: the service as it is then.
    /// - Throws: ``ServiceProblem``.
    func issue(
        _ createdAt: Int64,
        of service: String,
        by account: String
    ) throws(ServiceProblem) -> ServiceDetails {
        for _ in 0..<ServiceUpdates.turns {
            let seen = try look(service, by: account)
            if let changed = try write(createdAt, seen) { return changed }
        }
        throw .store(ServiceUpdates.restless)
    }

    // MARK: - Steps

    /// What decides whose a key is.
    struct Seen {
        let service: ServiceDetails
        let owners: Set<String>
    }

    func look(_ service: String, by account: String) throws(ServiceProblem) -> Seen {
        let details = try reader.authorise(account, .readDerivedKey, service).service
        let members = try ServiceProblem.asking { () throws(MongoError) in try reader.members(of: service) }
        return Seen(service: details, owners: Set(members.filter { $0.role == .owner }.map(\.account)).union([account]))
    }

    /// - Returns: `nil` where the service has changed since.
    func write(_ createdAt: Int64, _ seen: Seen) throws(ServiceProblem) -> ServiceDetails? {
        let before = seen.service
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.updatedAt, date: max(createdAt, before.updatedAt + 1))
                guard createdAt > before.keyCreatedAt else { return }
                set.append(Field.keyCreatedAt, date: createdAt)
                ServiceDetails.append(holders: seen.owners, ofKeyMadeAt: createdAt, to: set)
            }
        }
        return try ServiceProblem.asking { () throws(MongoError) in
            try services.findOneAndUpdate(before.unchanged, update: update).flatMap(ServiceDetails.init)
        }
    }
}
