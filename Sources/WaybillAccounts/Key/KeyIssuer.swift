package import WaybillMongo

/// Why a key could not be made, rotated or ended.
package enum KeyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case notFound(String)
    /// It has been revoked, or its time is over.
    case ended(String)
    /// It is being replaced, or has just replaced another one that still holds.
    case rotating(String, until: Int64)
    case store(MongoError)

    package var description: String {
        switch self {
        case .notFound(let id): "there is no key \(id)"
        case .ended(let id): "\(id) has ended; make a new one"
        case .rotating(let id, _): "\(id) is in the middle of a rotation: two keys hold already"
        case .store(let error): "\(error)"
        }
    }
}

/// Makes, rotates and ends keys.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct KeyIssuer {
    private let reader: KeyReader
    private let writer: KeyWriter

    package init(client: MongoClient, database: String) {
        reader = KeyReader(client: client, database: database)
        writer = KeyWriter(client: client, database: database)
    }

    /// What a new key is to be.
    package struct Request: Hashable, Sendable {
        package var name: String
        package var role: Role
        package var clients: ClientScope
        /// Milliseconds since 1970.
        package var expiresAt: Int64?

        package init(name: String, role: Role, clients: ClientScope, expiresAt: Int64? = nil) {
            self.name = name
            self.role = role
            self.clients = clients
            self.expiresAt = expiresAt
        }
    }

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - request: what it is for.
    ///   - author: who makes it.
    ///   - now: milliseconds since 1970.
    /// - Returns: what the store knows of it, and the key itself, which nobody can read again.
    /// - Throws: ``KeyProblem/store(_:)``.
    package func create(_ request: Request, by author: String, now: Int64)
        throws(KeyProblem) -> (key: AccessKey, secret: KeySecret)
    {
        let secret = KeySecret.generate(mode: .live)
        let key = AccessKey(
            id: AccessKey.newID(),
            mode: secret.mode,
            lastFour: secret.lastFour,
            name: request.name,
            role: request.role,
            clients: request.clients,
            createdBy: author,
            createdAt: now,
            expiresAt: request.expiresAt
        )
        do throws(MongoError) {
            try writer.insert(key, digest: secret.digest)
        } catch {
            throw .store(error)
        }
        return (key, secret)
    }

    /// Makes a key that may do what another one may; that one holds a while longer.
    ///
    /// - Parameters:
    ///   - id: the key to replace.
    ///   - overlap: how long it still holds, unless it ends before.
    ///   - isForced: whether a key in the middle of a rotation is rotated all the same.
    ///   - author: who rotates it.
    ///   - now: milliseconds since 1970.
    /// - Returns: the new key, and when the old one ends.
    /// - Throws: why there is no new key.
    package func rotate(_ id: String, overlap: KeyOverlap, isForced: Bool, by author: String, now: Int64)
        throws(KeyProblem) -> KeyRotation
    {
        let old = try known(id)
        guard old.isGood(now: now) else { throw .ended(id) }
        if !isForced, let end = try endOfRotation(old, now: now) { throw .rotating(id, until: end) }
        let end = try lifetime(old).map { now + $0 }
        let request = Request(name: old.name, role: old.role, clients: old.clients, expiresAt: end)
        // First the new one: a fault between the two leaves a key that nobody has, and never somebody without a key.
        let (key, secret) = try create(request, by: author, now: now)
        let oldEnds = min(old.expiresAt ?? .max, now + overlap.milliseconds)
        do throws(MongoError) {
            let isReplaced = try writer.replace(id, by: key.id, expiresAt: oldEnds, isForced: isForced)
            if isReplaced { return KeyRotation(key: key, secret: secret, oldEnds: oldEnds) }
        } catch {
            // The old key may have ended with it: whoever had it needs the new one.
            return KeyRotation(key: key, secret: secret, oldEnds: oldEnds, doubt: error)
        }
        // Somebody else was faster.
        do throws(MongoError) {
            try writer.revoke(key.id, at: now)
        } catch {
            throw .store(error)
        }
        throw .rotating(id, until: oldEnds)
    }

    /// Ends a key at once; processes that have seen it lately believe it for ``KeyCache/patience`` longer.
    package func revoke(_ id: String, now: Int64) throws(KeyProblem) {
        _ = try known(id)
        do throws(MongoError) {
            try writer.revoke(id, at: now)
        } catch {
            throw .store(error)
        }
    }

    private func known(_ id: String) throws(KeyProblem) -> AccessKey {
        do throws(MongoError) {
            if let key = try reader.key(id: id) { return key }
        } catch {
            throw .store(error)
        }
        throw .notFound(id)
    }

    /// How long a key was made for, in milliseconds; `nil`: it does not end by itself.
    ///
    /// The end of one that was replaced says nothing of that, but its successor was made for as long.
    private func lifetime(_ key: AccessKey) throws(KeyProblem) -> Int64? {
        var key = key
        var known: Set<String> = [key.id]
        while let successor = key.replacedBy, known.insert(successor).inserted { key = try self.known(successor) }
        return key.expiresAt.map { $0 - key.createdAt }
    }

    /// Until when a key holds together with the one before or behind it; `nil` if it stands alone.
    private func endOfRotation(_ key: AccessKey, now: Int64) throws(KeyProblem) -> Int64? {
        if key.replacedBy != nil { return key.expiresAt }
        do throws(MongoError) {
            guard let before = try reader.predecessor(of: key.id), before.isGood(now: now) else { return nil }
            return before.expiresAt
        } catch {
            throw .store(error)
        }
    }
}

/// What a rotation has made.
package struct KeyRotation: Sendable {
    package let key: AccessKey
    package let secret: KeySecret
    /// When the old key ends, in milliseconds since 1970.
    package let oldEnds: Int64
    /// Why it is not known whether the old key ends at all; the new one is good in any case.
    package var doubt: MongoError?
}
