package import WaybillMongo

/// Why an account has not been deleted.
package enum AccountDeletionProblem: Error, Hashable, Sendable {
    /// Others belong to services of which it is the owner, so many: somebody else must own them first.
    case shared(Int)
    case store(MongoError)
}

/// Ends an account, and what nobody but its person needs: each write is in a majority's journal when it returns.
///
/// It is decided first. A deletion that is asked for says so in the account's document before it looks whether others need the
/// account's services: whoever joins one, or leaves one to the account alone, asks for that afterwards and gives way
/// (``AccountStanding``). So nothing refuses a deletion once it is decided, and nothing has changed where one is refused. From then
/// on the account is gone for everybody: what is left to do is done by the same request, or later by any process
/// (``decided(before:limit:)``). Its document loses everything personal last, and goes when the TTL index erases it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct AccountDeletion {
    private typealias Layout = ServiceLayout
    private typealias Field = Accounts.AccountField

    /// How often others may delete it at the same moment.
    private static let turns = 8

    private let accounts: MongoCollection
    private let reader: ServiceReader
    private let memberships: MembershipWrites
    private let departure: ServiceDeparture
    private let logins: LoginStore

    package init(client: MongoClient, database: String, rules: AccountRules) {
        accounts = client.collection(database: database, name: Accounts.accounts)
        reader = ServiceReader(client: client, database: database)
        memberships = MembershipWrites(client: client, database: database)
        departure = ServiceDeparture(client: client, database: database, secrets: rules.keys.serviceKeys)
        logins = LoginStore(client: client, database: database, rules: rules)
    }

    /// Decides that an account is deleted: nothing can refuse it from then on.
    ///
    /// - Parameters:
    ///   - account: the id; whoever asks has shown its password.
    ///   - request: the id of the request.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be done then, also where somebody else has decided it; `nil` where that is done.
    /// - Throws: ``AccountDeletionProblem``: nothing has changed.
    package func decide(
        _ account: String,
        request: String,
        now: Int64
    ) throws(AccountDeletionProblem) -> DepartingAccount? {
        try requireAlone(account, now: now)
        for _ in 0..<Self.turns {
            guard let asked = try stored({ () throws(MongoError) in try ask(account, request: request, now: now) })
            else {
                return try stored { () throws(MongoError) in
                    try accounts.findOne(Self.decided(account), options: reader.options(1))
                        .flatMap(DepartingAccount.init)
                }
            }
            do throws(AccountDeletionProblem) {
                try requireAlone(account, now: now)
            } catch {
                try stored { () throws(MongoError) in try withdraw(asked) }
                throw error
            }
            if let departing = try stored({ () throws(MongoError) in try decide(asked, now: now) }) { return departing }
        }
        throw .store(ServiceUpdates.restless)
    }

    // MARK: - Steps

    /// A deletion that is asked for.
    struct Asked: Hashable {
        let account: String
        let id: String
    }

    /// Says that the account is to be deleted, in place of whoever has said so.
    ///
    /// - Returns: `nil` where that is decided.
    func ask(_ account: String, request: String, now: Int64) throws(MongoError) -> Asked? {
        let asked = Asked(account: account, id: Base62.random(count: 16))
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: account)
            writer.append(Field.username) { $0.append("$exists", bool: true) }
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: false) }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.deletion) { deletion in
                    deletion.append(Field.id, string: asked.id)
                    deletion.append(Field.request, string: request)
                    deletion.append(Field.askedAt, date: now)
                }
            }
        }
        return try accounts.findOneAndUpdate(filter, update: update) == nil ? nil : asked
    }

    /// Refuses an account whose services others need, and have no other owner that stays.
    func requireAlone(_ account: String, now: Int64) throws(AccountDeletionProblem) {
        let shared = try stored { () throws(MongoError) in
            var shared = 0
            for (service, _) in try reader.owned(by: account) where try isNeeded(service.id, butBy: account, now: now) {
                shared += 1
            }
            return shared
        }
        guard shared == 0 else { throw .shared(shared) }
    }

    /// Whether others belong to a service, and none of them owns it for good.
    private func isNeeded(_ service: String, butBy account: String, now: Int64) throws(MongoError) -> Bool {
        let others = try reader.members(of: service).filter { $0.account != account }
        let standing = try reader.accounts.standing(of: Set(others.map(\.account)))
        guard others.contains(where: { standing[$0.account] != .gone }) else { return false }
        return try memberships.owners(service, beside: account, now: now) != .stay
    }

    /// - Returns: `nil` where somebody else has asked for it, or has taken it back.
    func decide(_ asked: Asked, now: Int64) throws(MongoError) -> DepartingAccount? {
        let update = BSONDocument { $0.append("$set") { $0.append(Field.deletionDecidedAt, date: now) } }
        return try accounts.findOneAndUpdate(Self.undecided(asked), update: update).flatMap(DepartingAccount.init)
    }

    /// Takes back what was asked for, unless somebody else asks for it, too.
    func withdraw(_ asked: Asked) throws(MongoError) {
        let update = BSONDocument { $0.append("$unset") { $0.append(Field.deletion, int: 1) } }
        _ = try accounts.findOneAndUpdate(Self.undecided(asked), update: update)
    }

    // MARK: - What is decided

    /// Ends what an account is to services: those that nobody else belongs to end, and others have an owner.
    ///
    /// - Parameters:
    ///   - departing: its deletion is decided.
    ///   - now: milliseconds since 1970.
    /// - Returns: which services these were.
    /// - Throws: what the store says; the same again does the rest.
    package func leaveServices(_ departing: DepartingAccount, now: Int64) throws(MongoError) -> LeftServices {
        try departure.leaveAll(departing.id, now: now)
    }

    /// Ends an account's log-ins, and takes everything personal out of its document: last, for nobody comes back to it.
    ///
    /// - Parameters:
    ///   - departing: its deletion is decided.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says; the same again does the rest.
    package func erase(_ departing: DepartingAccount, now: Int64) throws(MongoError) {
        try logins.endAll(of: departing.id, now: now)
        try AccountErasure(accounts).erase(departing.id, now: now)
    }

    // MARK: - What nobody has ended

    /// Takes back what somebody has asked for, and has not lived to decide.
    ///
    /// - Parameter time: it was asked for before it, in milliseconds since 1970: whoever works on one is not looked for.
    /// - Throws: when it is not known to be durable.
    package func withdrawStale(before time: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.deletionAskedAt) { $0.append("$lt", date: time) }
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: false) }
        }
        let update = BSONDocument { $0.append("$unset") { $0.append(Field.deletion, int: 1) } }
        let bulk = accounts.bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("write to \(Accounts.accounts)")
    }

    /// Deletions that are decided, and that nobody has done.
    ///
    /// - Parameters:
    ///   - time: they were asked for before it, in milliseconds since 1970: whoever works on one is not looked for.
    ///   - limit: how many at the most.
    /// - Returns: those, in no order.
    /// - Throws: what the store says.
    package func decided(before time: Int64, limit: Int) throws(MongoError) -> [DepartingAccount] {
        let filter = BSONDocument { writer in
            writer.append(Field.deletionAskedAt) { $0.append("$lt", date: time) }
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: true) }
        }
        return try accounts.find(filter, options: reader.options(limit)).all().compactMap(DepartingAccount.init)
    }

    private static func undecided(_ asked: Asked) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: asked.account)
            writer.append(Field.deletionID, string: asked.id)
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: false) }
        }
    }

    private static func decided(_ account: String) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: account)
            writer.append(Field.deletionDecidedAt) { $0.append("$exists", bool: true) }
        }
    }

    private func stored<Answer>(_ question: () throws(MongoError) -> Answer) throws(AccountDeletionProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}
