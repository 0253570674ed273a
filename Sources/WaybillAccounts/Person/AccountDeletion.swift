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
        for service in try requireAlone(account) {
            do throws(ServiceProblem) {
                try services.delete(service, by: account.id, now: now)
            } catch {
                // Somebody has deleted it meanwhile, and nothing is left to do.
                if case .store(let error) = error { throw .store(error) }
            }
        }
        try stored { () throws(MongoError) in
            // What is left has other owners.
            for (service, _) in try reader.owned(by: account.id) { try derivedKey.end(service.id, now: now) }
            try leaveAll(account.id, now: now)
            try logins.endAll(of: account.id, now: now)
            try AccountErasure(accounts).erase(account.id, now: now)
        }
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
