package import WaybillMongo

/// Why an account has not been deleted.
package enum AccountDeletionProblem: Error, Hashable, Sendable {
    /// Others belong to services of which it is the owner, so many: somebody else must own them first.
    case shared(Int)
    case store(MongoError)
}

/// Ends an account, and what nobody but its person needs: each write is in a majority's journal when it returns.
///
/// The account goes last, so that what was not done is done by the same again. Its document loses everything personal at once,
/// and goes when the TTL index erases it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AccountDeletion {
    private typealias Layout = ServiceLayout

    /// How often others may make it an owner meanwhile.
    private static let turns = 8

    private let accounts: MongoCollection
    private let memberships: MongoCollection
    private let reader: ServiceReader
    private let services: ServiceStore
    private let logins: LoginStore
    private let derivedKey: DerivedKeyEnd

    package init(client: MongoClient, database: String, rules: AccountRules) {
        accounts = client.collection(database: database, name: Accounts.accounts)
        memberships = client.collection(database: database, name: Layout.memberships)
        reader = ServiceReader(client: client, database: database)
        services = ServiceStore(client: client, database: database, secrets: rules.keys.serviceKeys)
        logins = LoginStore(client: client, database: database, rules: rules)
        derivedKey = DerivedKeyEnd(client: client, database: database)
    }

    /// Deletes an account: the services that it owns alone, what it is to others, its log-ins, its name and address.
    ///
    /// - Parameters:
    ///   - account: whoever asks has shown its password.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``AccountDeletionProblem``; the same again is safe.
    package func delete(_ account: Account, now: Int64) throws(AccountDeletionProblem) {
        try leaveServices(account, now: now)
        try stored { () throws(MongoError) in
            try logins.endAll(of: account.id, now: now)
            try AccountErasure(accounts).erase(account.id, now: now)
        }
        // What it was made the owner of, or was let into, in the meantime: whoever does so from now on sees that it has gone.
        try leaveForGood(account, now: now)
    }

    /// Ends what an account is to services, until there is none without an owner for it.
    private func leaveServices(_ account: Account, now: Int64) throws(AccountDeletionProblem) {
        for _ in 0..<Self.turns {
            for service in try requireAlone(account) { try end(service, account, now: now) }
            let ownerless = try stored { () throws(MongoError) -> [String] in
                // What is left has other owners.
                for (service, _) in try reader.owned(by: account.id) { try derivedKey.end(service.id, now: now) }
                try leaveAll(account.id, now: now)
                let ownerless = try reader.ownerless(but: account.id)
                // The account was made its owner, or the other owner has left it, since that was asked.
                for service in ownerless { try own(service, account.id) }
                return ownerless
            }
            guard !ownerless.isEmpty else { return }
        }
        throw .store(ServiceUpdates.restless)
    }

    /// The same of an account that has gone: who is next to its service owns it.
    func leaveForGood(_ account: Account, now: Int64) throws(AccountDeletionProblem) {
        try stored { () throws(MongoError) in try leaveAll(account.id, now: now) }
        for service in try stored({ () throws(MongoError) in try reader.ownerless(but: account.id) }) {
            let next = try stored { () throws(MongoError) in
                try reader.members(of: service).filter { $0.account != account.id }
                    .min { ($1.role, $0.joinedAt, $0.account) < ($0.role, $1.joinedAt, $1.account) }
            }
            try stored { () throws(MongoError) in
                try derivedKey.end(service, now: now)
                try own(service, next?.account ?? account.id)
            }
            if next == nil { try end(service, account, now: now) }
        }
        try stored { () throws(MongoError) in try leaveAll(account.id, now: now) }
    }

    private func end(_ service: String, _ account: Account, now: Int64) throws(AccountDeletionProblem) {
        do throws(ServiceProblem) {
            try services.delete(service, by: account.id, now: now)
        } catch {
            // Somebody has deleted it meanwhile, and nothing is left to do.
            if case .store(let error) = error { throw .store(error) }
        }
    }

    /// Makes somebody who belongs to a service, or did, its owner.
    private func own(_ service: String, _ account: String) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Layout.MembershipField.service, string: service)
            writer.append(Layout.MembershipField.account, string: account)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(Layout.MembershipField.role, string: ServiceRole.owner.rawValue) }
            writer.append("$unset") { $0.append(Layout.MembershipField.expiresAt, int: 1) }
        }
        let bulk = memberships.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.memberships)")
    }

    /// Refuses an account whose services others need, and have no other owner.
    ///
    /// - Returns: the ids of its services, to which nobody else belongs.
    /// - Throws: ``AccountDeletionProblem``.
    @discardableResult
    package func requireAlone(_ account: Account) throws(AccountDeletionProblem) -> [String] {
        let owned = try stored { () throws(MongoError) in try reader.owned(by: account.id).map(\.service.id) }
        var alone: [String] = []
        var shared = 0
        for service in owned {
            let others = try stored { () throws(MongoError) in
                try reader.members(of: service).filter { $0.account != account.id }
            }
            if others.isEmpty {
                alone.append(service)
            } else if !others.contains(where: { $0.role == .owner }) {
                shared += 1
            }
        }
        guard shared == 0 else { throw .shared(shared) }
        return alone
    }

    private func leaveAll(_ account: String, now: Int64) throws(MongoError) {
        let bulk = memberships.bulk()
        let update = BSONDocument { writer in
            writer.append("$min") { $0.append(Layout.MembershipField.expiresAt, date: now + ServiceStore.remains) }
        }
        try bulk.updateMany(
            filter: BSONDocument { $0.append(Layout.MembershipField.account, string: account) },
            update: update
        )
        try bulk.execute().requireDurable("write to \(Layout.memberships)")
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(AccountDeletionProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
