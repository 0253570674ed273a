package import WaybillMongo

/// What a service's key allows whoever shows it.
package struct ServiceGrant: Hashable, Sendable {
    package let service: ServiceDetails
    /// The key's public name.
    package let keyID: String
    /// `test`: everything happens, but notifications go to the lane of test keys.
    package let kind: KeySecret.Mode
    package let scopes: Set<ServiceKeyScope>
    /// Whether the service may say anything: neither it nor the accounts of all its owners are suspended.
    package let isActive: Bool
    /// When its use was noted last, in milliseconds since 1970; `nil`: never.
    package let lastUsedAt: Int64?
}

/// Reads services' keys that were shown once.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceKeyReader {
    private typealias Layout = ServiceLayout
    private typealias Field = ServiceLayout.KeyField

    private let services: ServiceReader
    private let keys: MongoCollection

    package init(client: MongoClient, database: String) {
        services = ServiceReader(client: client, database: database)
        keys = client.collection(database: database, name: Layout.keys)
    }

    /// What a key allows whoever has shown it.
    ///
    /// - Parameters:
    ///   - secret: as it was shown.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` for nobody's key, one that has ended, and one of a service that is not there.
    /// - Throws: what the store says.
    package func grant(shown secret: KeySecret, now: Int64) throws(MongoError) -> ServiceGrant? {
        let digest = secret.digest
        let filter = BSONDocument { $0.append(Field.digest, string: digest.hexadecimal) }
        guard let document = try keys.findOne(filter, options: services.options(1)),
            let stored = document["\(Field.digest)"]?.string, digest.isStored(as: stored),
            let key = ServiceKeyRecord(document), key.kind == secret.mode, key.isGood(now: now),
            let service = try services.service(key.service)
        else { return nil }
        let owners = try services.members(of: key.service).filter { $0.role == .owner }.map(\.account)
        let usable = try services.accounts.quietHours(ofUsable: owners)
        return ServiceGrant(
            service: service,
            keyID: key.id,
            kind: key.kind,
            scopes: key.scopes,
            isActive: service.suspendedAt == nil && !usable.isEmpty,
            lastUsedAt: key.lastUsedAt
        )
    }

    /// The keys of a service that were shown once, the latest first; those that have ended go after a month.
    package func keys(of service: String) throws(MongoError) -> [ServiceKeyRecord] {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: service)
            writer.append(Field.kind) { $0.append("$exists", bool: true) }
        }
        return try keys.find(filter, options: services.options(ServiceReader.most)).all()
            .compactMap(ServiceKeyRecord.init).sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    }

    /// A key of a service; `nil` where it has none of this name.
    func key(_ id: String, of service: String) throws(MongoError) -> ServiceKeyRecord? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.service, string: service)
        }
        return try keys.findOne(filter, options: services.options(1)).flatMap(ServiceKeyRecord.init)
    }
}
