package import WaybillMongo

/// Why a service's key could not be made, rotated or ended.
package enum ServiceKeyProblem: Error, Hashable, Sendable {
    /// About the service: it is not there for who asks, or they may not.
    case service(ServiceProblem)
    /// The service has no such key.
    case notFound
    /// It has been revoked, or its time is over.
    case ended
    /// It is being replaced, or has just replaced another one that still holds until then.
    case rotating(until: Int64)
    /// Nothing could notify by the service then.
    case last
    /// The service has as many keys that hold as it may have.
    case tooMany(Int)
}

/// What a new key of a service is to be.
package struct ServiceKeyRequest: Hashable, Sendable {
    package var name: ServiceName
    package var kind: KeySecret.Mode
    package var scopes: Set<ServiceKeyScope>
    /// Milliseconds since 1970; `nil`: it does not end by itself.
    package var endsAt: Int64?

    package init(name: ServiceName, kind: KeySecret.Mode, scopes: Set<ServiceKeyScope>, endsAt: Int64? = nil) {
        self.name = name
        self.kind = kind
        self.scopes = scopes
        self.endsAt = endsAt
    }
}

/// A key that was made, and what there is of it that nobody can read again.
package struct NewServiceKey: Sendable {
    package let key: ServiceKeyRecord
    package let secret: KeySecret
    /// When the key that it replaces ends, in milliseconds since 1970; `nil`: it replaces none.
    package var oldEnds: Int64?
}

/// Makes, rotates and ends services' keys; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceKeyStore {
    private typealias Field = ServiceLayout.KeyField

    private let keys: MongoCollection
    private let services: ServiceReader
    private let reader: ServiceKeyReader
    private let derivedKey: DerivedKeyEnd
    private let lastKey: LastKeyGuard
    /// Keys that hold, of one service.
    private let most: Int

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where services are.
    ///   - most: how many keys that hold a service may have.
    package init(client: MongoClient, database: String, most: Int) {
        keys = client.collection(database: database, name: ServiceLayout.keys)
        services = ServiceReader(client: client, database: database)
        reader = ServiceKeyReader(client: client, database: database)
        derivedKey = DerivedKeyEnd(client: client, database: database)
        lastKey = LastKeyGuard(client: client, database: database)
        self.most = most
    }

    /// The keys of a service, the latest first.
    package func list(_ service: String, by account: String) throws(ServiceKeyProblem) -> [ServiceKeyRecord] {
        try authorise(account, .readKeys, service)
        return try stored { () throws(MongoError) in try reader.keys(of: service) }
    }

    /// What the key that can be read again is called where keys are listed, and ended by.
    package static let derivedID = "derived"

    /// When the key was made that owners can read again, in milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - service: whose it is.
    ///   - account: the id of who asks.
    ///   - secrets: what such keys are derived from.
    /// - Returns: `nil` where it holds no more.
    /// - Throws: ``ServiceKeyProblem``.
    package func derived(
        _ service: String,
        by account: String,
        secrets: ServiceKeySecrets
    ) throws(ServiceKeyProblem) -> Int64? {
        let details = try authorise(account, .readKeys, service)
        let root = try stored { () throws(MongoError) in try services.roots(of: [details])[service] }
        return root.map(secrets.knows) == true ? details.keyCreatedAt : nil
    }

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - request: what it is for.
    ///   - service: whose it is.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Returns: what the store knows of it, and the key itself, which nobody can read again.
    /// - Throws: ``ServiceKeyProblem``.
    package func create(
        _ request: ServiceKeyRequest,
        for service: String,
        by account: String,
        now: Int64
    ) throws(ServiceKeyProblem) -> NewServiceKey {
        try authorise(account, .changeKeys, service)
        guard try good(service, now: now).count < most else { throw .tooMany(most) }
        let new = try insert(request, service, account, now)
        // Of several that are made at once each sees those before it: whoever sees too many gives way.
        guard try good(service, now: now).count <= most else {
            try stored { () throws(MongoError) in try forget(new.key.id, service, now: now) }
            throw .tooMany(most)
        }
        return new
    }

    /// Makes a key that may do what another one may; that one holds a while longer.
    ///
    /// - Parameters:
    ///   - id: the key to replace.
    ///   - service: whose it is.
    ///   - overlap: how long it still holds, unless it ends before.
    ///   - isForced: whether a key in the middle of a rotation is rotated all the same.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Returns: the new key, and when the old one ends.
    /// - Throws: ``ServiceKeyProblem``; what the store says may leave both.
    package func rotate(
        _ id: String,
        of service: String,
        overlap: KeyOverlap,
        isForced: Bool,
        by account: String,
        now: Int64
    ) throws(ServiceKeyProblem) -> NewServiceKey {
        try authorise(account, .changeKeys, service)
        let all = try stored { () throws(MongoError) in try reader.keys(of: service) }
        guard let old = all.first(where: { $0.id == id }) else { throw .notFound }
        guard old.isGood(now: now) else { throw .ended }
        if let end = Self.endOfRotation(old, all, now: now) {
            guard isForced else { throw .rotating(until: end) }
            // What was replaced holds still, so that there is one more each time.
            guard all.filter({ $0.isGood(now: now) }).count < most else { throw .tooMany(most) }
        }
        guard let name = ServiceName(old.name) else { throw .ended }
        let request = ServiceKeyRequest(
            name: name,
            kind: old.kind,
            scopes: old.scopes,
            endsAt: Self.lifetime(old, all).map { now + $0 }
        )
        // First the new one: a fault between the two leaves a key that nobody has, and never somebody without a key.
        var new = try insert(request, service, account, now)
        let end = min(old.endsAt ?? .max, now + overlap.milliseconds)
        new.oldEnds = end
        let isReplaced = try stored { () throws(MongoError) in
            try replace(id, service, by: new.key.id, at: end, isForced: isForced)
        }
        guard isReplaced else {
            // Somebody else was faster.
            try stored { () throws(MongoError) in try forget(new.key.id, service, now: now) }
            throw .rotating(until: end)
        }
        return new
    }

    /// Ends a key at once.
    ///
    /// - Parameters:
    ///   - id: the key, or ``derivedID``; one that has ended stays as it is.
    ///   - service: whose it is.
    ///   - isForced: whether the last one that holds is ended, too.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``ServiceKeyProblem``.
    package func revoke(
        _ id: String,
        of service: String,
        isForced: Bool,
        by account: String,
        now: Int64
    ) throws(ServiceKeyProblem) {
        try authorise(account, .changeKeys, service)
        let all = try stored { () throws(MongoError) in try reader.keys(of: service) }
        if id == Self.derivedID {
            guard isForced || all.contains(where: { $0.kind == .live && $0.isGood(now: now) }) else { throw .last }
            return try stored { () throws(MongoError) in try derivedKey.end(service, now: now) }
        }
        guard let key = all.first(where: { $0.id == id }) else { throw .notFound }
        guard key.isGood(now: now) else { return }
        if !isForced, key.kind == .live {
            let isOther = try stored { () throws(MongoError) in try lastKey.begin(id, of: service, now: now) }
            guard isOther else { throw .last }
        }
        try stored { () throws(MongoError) in try end(id, service, now: now) }
    }

    /// Notes a key's use, at most once a minute however many processes see it.
    ///
    /// - Parameters:
    ///   - id: the key.
    ///   - network: that it was used from.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    package func noteUse(of id: String, from network: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.lastUsedAt) { condition in
                condition.append("$not") { $0.append("$gt", date: now - KeyWriter.useInterval) }
            }
        }
        _ = try update(filter) { set in
            set.append(Field.lastUsedAt, date: now)
            set.append(Field.lastUsedFrom, string: network)
        }
    }

    // MARK: - Steps

    /// Until when a key holds together with the one before or behind it, in milliseconds since 1970; `nil` if it stands alone.
    private static func endOfRotation(_ key: ServiceKeyRecord, _ all: [ServiceKeyRecord], now: Int64) -> Int64? {
        if key.replacedBy != nil { return key.endsAt ?? now }
        return all.first { $0.replacedBy == key.id && $0.isGood(now: now) }.map { $0.endsAt ?? now }
    }

    /// How long a key was made for, in milliseconds; `nil`: it does not end by itself.
    ///
    /// The end of one that was replaced says nothing of that, but its successor was made for as long.
    private static func lifetime(_ key: ServiceKeyRecord, _ all: [ServiceKeyRecord]) -> Int64? {
        var key = key
        var known: Set<String> = [key.id]
        while let id = key.replacedBy, known.insert(id).inserted, let next = all.first(where: { $0.id == id }) {
            key = next
        }
        return key.endsAt.map { $0 - key.createdAt }
    }

    @discardableResult
    private func authorise(
        _ account: String,
        _ action: ServiceAction,
        _ service: String
    ) throws(ServiceKeyProblem) -> ServiceDetails {
        do throws(ServiceProblem) {
            return try services.authorise(account, action, service).service
        } catch {
            throw .service(error)
        }
    }

    private func good(_ service: String, now: Int64) throws(ServiceKeyProblem) -> [ServiceKeyRecord] {
        try stored { () throws(MongoError) in try reader.keys(of: service) }.filter { $0.isGood(now: now) }
    }

    func insert(
        _ request: ServiceKeyRequest,
        _ service: String,
        _ account: String,
        _ now: Int64
    ) throws(ServiceKeyProblem) -> NewServiceKey {
        let secret = KeySecret.generate(mode: request.kind)
        let key = ServiceKeyRecord(
            id: AccessKey.newID(),
            service: service,
            kind: request.kind,
            lastFour: secret.lastFour,
            name: request.name.text,
            scopes: request.scopes,
            createdBy: account,
            createdAt: now,
            endsAt: request.endsAt
        )
        try stored { () throws(MongoError) in
            let bulk = keys.bulk()
            try bulk.insert(key.document(secret.digest))
            try bulk.execute().requireDurable("write to \(ServiceLayout.keys)")
        }
        // A deletion says that the service is not there before it ends its keys: one that comes after that is nobody's to end.
        guard try stored({ () throws(MongoError) in try services.service(service) }) != nil else {
            try stored { () throws(MongoError) in try forget(key.id, service, now: now) }
            throw .service(.unknown)
        }
        return NewServiceKey(key: key, secret: secret)
    }

    private func replace(
        _ id: String,
        _ service: String,
        by successor: String,
        at end: Int64,
        isForced: Bool
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.service, string: service)
            writer.append(Field.revokedAt) { $0.append("$exists", bool: false) }
            if !isForced { writer.append(Field.replacedBy) { $0.append("$exists", bool: false) } }
        }
        return try update(filter, removing: [Field.noticeAt]) { set in
            set.append(Field.replacedBy, string: successor)
            set.append(Field.endsAt, date: end)
            set.append(Field.expiresAt, date: end + ServiceStore.remains)
        }
    }

    private func end(_ id: String, _ service: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.service, string: service)
            writer.append(Field.revokedAt) { $0.append("$exists", bool: false) }
        }
        _ = try update(filter, removing: [Field.noticeAt]) { set in
            set.append(Field.revokedAt, date: now)
            set.append(Field.expiresAt, date: now + ServiceStore.remains)
        }
    }

    /// Leaves nothing of a key that nobody was shown: it is no service's from now on, and the TTL index erases it.
    private func forget(_ id: String, _ service: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.service, string: service)
        }
        _ = try update(filter, removing: [Field.noticeAt, Field.service]) { set in
            set.append(Field.revokedAt, date: now)
            set.append(Field.expiresAt, date: now)
        }
    }

    private func update(
        _ filter: BSONDocument,
        removing fields: [StaticString] = [],
        _ set: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let bulk = keys.bulk()
        let update = BSONDocument { writer in
            writer.append("$set", document: set)
            guard !fields.isEmpty else { return }
            writer.append("$unset") { unset in for field in fields { unset.append(field, int: 1) } }
        }
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("write to \(ServiceLayout.keys)")
        return result.matched == 1
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(ServiceKeyProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .service(.store(error))
        }
    }
}
