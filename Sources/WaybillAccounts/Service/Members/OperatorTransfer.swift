import WaybillMongo

/// A service goes to an account, which need not have belonged to it, in steps between which others may come.
///
/// First there is the new owner: a fault between the two leaves two.
///
/// *Thread:* its client's. *Blocking:* as ``MembershipChange``.
struct OperatorTransfer {
    private enum Stage {
        case undecided
        /// The new owner, as they are; `nil`: they do not belong to it.
        case decided(Membership?, hasOwner: Bool)
        case received(hasOwner: Bool)
        /// Those who owned it become managers.
        case leaving([MembershipChange])
        /// Takes back what was given.
        case returning(MembershipChange)
    }

    private let service: String
    private let account: String
    private let writes: MembershipWrites
    private let derivedKey: DerivedKeyEnd
    private let now: Int64

    private var stage = Stage.undecided
    private var turns = 0
    /// What the new owner is again where they do not stay; `nil`: they owned it before.
    private var former: MembershipWrites.Outcome?

    init(_ service: String, to account: String, client: MongoClient, database: String, now: Int64) {
        self.service = service
        self.account = account
        writes = MembershipWrites(client: client, database: database)
        derivedKey = DerivedKeyEnd(client: client, database: database)
        self.now = now
    }

    /// Makes all steps.
    ///
    /// - Throws: ``MemberProblem/unknown`` where the account was deleted meanwhile, or is being deleted.
    mutating func run() throws(MemberProblem) {
        while try !next() { if isWaiting { MembershipChange.wait() } }
    }

    private var isWaiting: Bool {
        switch stage {
        case .undecided: turns > 0
        case .decided, .received: false
        case .leaving(let changes): changes.first?.isWaiting == true
        case .returning(let change): change.isWaiting
        }
    }

    /// Makes the next step.
    ///
    /// - Returns: whether it was the last.
    /// - Throws: as ``run()``.
    mutating func next() throws(MemberProblem) -> Bool {
        switch stage {
        case .undecided: try decide()
        case .decided(let own, let hasOwner): try receive(own, hasOwner: hasOwner)
        case .received(let hasOwner): return try see(hasOwner: hasOwner)
        case .leaving(let changes): return try leave(changes)
        case .returning(var change):
            let isLast = try change.next()
            if isLast { throw .unknown }
            stage = .returning(change)
        }
        return false
    }

    // MARK: - Steps

    private mutating func decide() throws(MemberProblem) {
        turns += 1
        guard turns <= ServiceUpdates.turns else { throw .service(.store(ServiceUpdates.restless)) }
        let members = try MemberProblem.asking { () throws(MongoError) in try writes.reader.members(of: service) }
        stage = .decided(
            members.first { $0.account == account },
            hasOwner: members.contains { $0.role == .owner }
        )
    }

    private mutating func receive(_ own: Membership?, hasOwner: Bool) throws(MemberProblem) {
        if let own, own.role == .owner {
            stage = .received(hasOwner: true)
            return
        }
        let isWritten = try MemberProblem.asking { () throws(MongoError) in
            // A key that they knew before does not hold again.
            try derivedKey.end(service, heldBy: account, now: now)
            guard let own else { return try writes.admit(account, to: service, as: .owner, now: now) }
            return try writes.write(.role(.owner), for: own)
        }
        guard isWritten else {
            stage = .undecided
            return
        }
        former = own.map { .role($0.role) } ?? .gone(now)
        stage = .received(hasOwner: hasOwner)
    }

    /// Whether the new owner stays, and whose ownership ends then.
    private mutating func see(hasOwner: Bool) throws(MemberProblem) -> Bool {
        let (standing, owners) = try MemberProblem.asking { () throws(MongoError) in
            let standing = try writes.reader.accounts.standing(of: account)
            return (standing, try writes.reader.members(of: service).filter { $0.role == .owner })
        }
        let owner = owners.first { $0.account == account }
        guard standing == .staying else {
            try giveBack(owner, standing)
            return false
        }
        guard owner != nil else {
            stage = .undecided
            return false
        }
        // Somebody did own it, who has gone.
        if !hasOwner { try MemberProblem.asking { () throws(MongoError) in try derivedKey.end(service, now: now) } }
        let others = owners.filter { $0.account != account }
        stage = .leaving(others.map { change($0, to: .role(.manager)) })
        return others.isEmpty
    }

    private mutating func leave(_ changes: [MembershipChange]) throws(MemberProblem) -> Bool {
        var changes = changes
        do throws(MemberProblem) {
            if try changes[0].next() { changes.removeFirst() }
            stage = .leaving(changes)
            return changes.isEmpty
        } catch {
            // The new owner is none any more, or does not stay.
            guard error == .lastOwner else { throw error }
            stage = .undecided
            return false
        }
    }

    /// Makes the account what it was to the service.
    private mutating func giveBack(_ owner: Membership?, _ standing: AccountStanding) throws(MemberProblem) {
        guard let owner, standing == .gone || former != nil else { throw .unknown }
        guard standing == .gone else {
            stage = .returning(change(owner, to: former ?? .gone(now)))
            return
        }
        // Nobody counts on this owner, and no other one need stay.
        _ = try MemberProblem.asking { () throws(MongoError) in try writes.write(.gone(now), for: owner) }
        throw .unknown
    }

    private func change(_ owner: Membership, to outcome: MembershipWrites.Outcome) -> MembershipChange {
        MembershipChange.ending(owner, outcome, writes, derivedKey, now: now)
    }
}
