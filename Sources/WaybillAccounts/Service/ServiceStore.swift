package import WaybillMongo

/// A service as somebody sees it who changes it.
package struct OwnService: Sendable {
    package var service: ServiceDetails
    /// Of which levels they are told.
    package let levels: NotificationLevels
    /// `nil` where it has ended, where the secret that it was derived from has gone, and for whoever may not read it.
    package let key: ServiceKey?
}

/// What somebody wants changed; what is `nil` stays.
package struct ServiceChange: Hashable, Sendable {
    /// The service's id.
    package var service: String
    package var name: ServiceName?
    package var levels: NotificationLevels?
    /// What `updatedAt` must be still; `nil`: whatever.
    package var seen: Int64?

    package init(service: String, name: ServiceName?, levels: NotificationLevels?, seen: Int64? = nil) {
        self.service = service
        self.name = name
        self.levels = levels
        self.seen = seen
    }
}

/// Makes and changes services for their owners; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceStore {
    private typealias Layout = ServiceLayout

    /// Services that one person may own, those among them that were deleted and are not erased yet.
    package static let mostOwned = 200
    /// How long what was deleted can be looked into by whoever runs the installation, in milliseconds.
    static let remains: Int64 = 30 * 86_400_000

    let services: MongoCollection
    let memberships: MongoCollection
    let keys: MongoCollection
    let updates: ServiceUpdates
    let images: ServiceImages
    private let derivedKey: DerivedKeyIssue
    private let secrets: ServiceKeySecrets
    var reader: ServiceReader { updates.reader }

    package init(client: MongoClient, database: String, secrets: ServiceKeySecrets) {
        services = client.collection(database: database, name: Layout.services)
        memberships = client.collection(database: database, name: Layout.memberships)
        keys = client.collection(database: database, name: Layout.keys)
        updates = ServiceUpdates(client: client, database: database)
        images = ServiceImages(client: client, database: database)
        derivedKey = DerivedKeyIssue(client: client, database: database)
        self.secrets = secrets
    }

    /// The services that somebody owns, the oldest first.
    package func owned(by account: String) throws(MongoError) -> [OwnService] {
        try own(reader.owned(by: account))
    }

    /// Makes a service, and its first key.
    ///
    /// - Parameters:
    ///   - owner: the account's id.
    ///   - name: what to call it.
    ///   - image: what stands for it; `nil`: nothing.
    ///   - levels: of which its owner is told.
    ///   - now: milliseconds since 1970.
    /// - Returns: the service.
    /// - Throws: ``ServiceProblem/tooMany``, ``ServiceProblem/departed``, or what the store says.
    package func create(
        owner: String,
        name: ServiceName,
        image: ServiceImage? = nil,
        levels: NotificationLevels,
        now: Int64
    ) throws(ServiceProblem) -> OwnService {
        guard try count(ownedBy: owner, now: now) < Self.mostOwned else { throw .tooMany }
        let service = ServiceDetails(id: ServiceDetails.newID(), name: name.text, owner: owner, now: now)
        var own = try ServiceProblem.asking { () throws(MongoError) in
            try insert(service.document(), services)
            let key = try insertKey(service.id, createdAt: now)
            // Last: it is what makes the service anybody's.
            let membership = Membership(service: service.id, account: owner, role: .owner, levels: levels)
            try insert(membership.document(now: now), memberships)
            return OwnService(service: service, levels: levels, key: key)
        }
        let standing = try ServiceProblem.asking { () throws(MongoError) in try reader.accounts.standing(of: owner) }
        guard standing != .gone else {
            try ServiceProblem.asking { () throws(MongoError) in try takeBack(service.id, of: owner, now: now) }
            throw .departed
        }
        // Of several that are made at once each sees those before it: whoever sees too many gives way.
        guard try count(ownedBy: owner, now: now) <= Self.mostOwned else {
            try delete(service.id, by: owner, now: now)
            try ServiceProblem.asking { () throws(MongoError) in
                let filter = BSONDocument { $0.append(Layout.MembershipField.service, string: service.id) }
                try expire(memberships, filter, Layout.MembershipField.expiresAt, at: now)
            }
            throw .tooMany
        }
        if let image { own.service = try images.set(image, of: service.id, by: owner, now: now).service }
        return own
    }

    private func count(ownedBy owner: String, now: Int64) throws(ServiceProblem) -> Int {
        try ServiceProblem.asking { () throws(MongoError) in
            try reader.count(ownedBy: owner, most: Self.mostOwned + 1, now: now)
        }
    }

    /// Changes services; all of them, or none where one is not there for who asks.
    ///
    /// - Parameters:
    ///   - changes: a service that is there twice gets the last.
    ///   - account: the id of who asks, and their levels are changed.
    ///   - action: what they must be allowed to do.
    ///   - now: milliseconds since 1970.
    /// - Returns: the services in the order of the changes, each with a newer `updatedAt`, also where nothing else is new.
    /// - Throws: ``ServiceProblem``; what the store says may leave part of several changed, and the same again is safe.
    package func change(
        _ changes: [ServiceChange],
        by account: String,
        as action: ServiceAction = .changeSettings,
        now: Int64
    ) throws(ServiceProblem) -> [OwnService] {
        for change in changes { _ = try reader.authorise(account, action, change.service) }
        var changed: [OwnService] = []
        for change in changes {
            if let levels = change.levels {
                // Before the service's time: whoever sees the new time sees the new levels.
                try ServiceProblem.asking { () throws(MongoError) in try set(levels, of: account, in: change.service) }
            }
            let service = try updates.update(change.service, by: account, action, seen: change.seen, now: now) {
                set,
                _ in
                if let name = change.name { set.append(Layout.ServiceField.name, string: name.text) }
            }
            let membership = try reader.authorise(account, action, change.service).membership
            changed += try ServiceProblem.asking { () throws(MongoError) in try own([(service, membership)]) }
        }
        return changed
    }

    /// Gives a service another key that can be read again; the one before it is dead when this returns, and the new one as soon as one of
    /// its owners owns the service no more.
    package func newKey(_ id: String, by account: String, now: Int64) throws(ServiceProblem) -> OwnService {
        let (before, membership) = try reader.authorise(account, .readDerivedKey, id)
        // Of two who ask at once, one has its moment refused by the index on digests.
        let createdAt = max(now, before.keyCreatedAt + 1, before.updatedAt + 1)
        let key = try ServiceProblem.asking { () throws(MongoError) in try insertKey(id, createdAt: createdAt) }
        let service = try derivedKey.issue(createdAt, of: id, by: account)
        try ServiceProblem.asking { () throws(MongoError) in try expireKeys(of: service, now: now) }
        guard service.keyCreatedAt == createdAt else {
            // Somebody else was faster.
            let roots = try ServiceProblem.asking { () throws(MongoError) in try reader.roots(of: [service]) }
            let other = roots[id].flatMap { self.key(service, root: $0) }
            return OwnService(service: service, levels: membership.levels, key: other)
        }
        return OwnService(service: service, levels: membership.levels, key: key)
    }

    // MARK: - Writes

    private func set(_ levels: NotificationLevels, of account: String, in service: String) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service, string: service)
            writer.append(Layout.MembershipField.account, string: account)
        }
        let update = BSONDocument { writer in
            // What is critical is not the thesis' to say.
            writer.append("$bit") { bit in
                bit.append(Layout.MembershipField.levels) { levelsOf in
                    levelsOf.append("and", int: NotificationLevels.critical.rawValue)
                    levelsOf.append("or", int: levels.intersection(.all).rawValue)
                }
            }
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.memberships)")
    }

    func insertKey(_ service: String, createdAt: Int64) throws(MongoError) -> ServiceKey {
        let key = ServiceKey(service: service, createdAt: createdAt, secret: secrets.current.secret)
        let writer = BSONWriter(capacity: 256)
        writer.append(Layout.KeyField.service, string: service)
        writer.append(Layout.KeyField.digest, string: key.digest.hexadecimal)
        writer.append(Layout.KeyField.root, string: secrets.current.id)
        writer.append(Layout.KeyField.createdAt, date: createdAt)
        let bulk = keys.bulk()
        try bulk.insert(writer)
        let result = bulk.execute()
        // The same moment twice makes the same key.
        if !result.writeErrors.contains(where: \.isDuplicateKey) {
            try result.requireDurable("write to \(Layout.keys)")
        }
        return key
    }

    private func expireKeys(of service: ServiceDetails, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Layout.KeyField.service, string: service.id)
            writer.append(Layout.KeyField.createdAt) { $0.append("$lt", date: service.keyCreatedAt) }
            // Those that are shown once are not of this kind.
            writer.append(Layout.KeyField.root) { $0.append("$exists", bool: true) }
        }
        try expire(keys, filter, Layout.KeyField.expiresAt, at: now + Self.remains)
    }

    func expire(
        _ collection: MongoCollection,
        _ filter: BSONDocument,
        _ field: StaticString,
        at time: Int64
    ) throws(MongoError) {
        let bulk = collection.bulk()
        // What has a time has ended before, and goes at that.
        let update = BSONDocument { $0.append("$min") { $0.append(field, date: time) } }
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("write to \(collection.name)")
    }

    private func insert(_ document: BSONWriter, _ collection: MongoCollection) throws(MongoError) {
        let bulk = collection.bulk()
        try bulk.insert(document)
        try bulk.execute().requireDurable("write to \(collection.name)")
    }

    // MARK: - Keys

    /// Services as somebody sees them: with the key where they may read it.
    private func own(
        _ services: [(service: ServiceDetails, membership: Membership)]
    ) throws(MongoError) -> [OwnService] {
        let readable = services.filter { ServicePermission.of(.readDerivedKey, role: $0.membership.role) == .granted }
        let roots = try reader.roots(of: readable.map(\.service))
        return services.map { service, membership in
            OwnService(
                service: service,
                levels: membership.levels,
                key: roots[service.id].flatMap { key(service, root: $0) }
            )
        }
    }

    private func key(_ service: ServiceDetails, root: String) -> ServiceKey? {
        secrets.key(service: service.id, createdAt: service.keyCreatedAt, root: root)
    }
}
