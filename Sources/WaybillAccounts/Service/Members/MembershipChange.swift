import Glibc
import WaybillMongo

/// A change of what somebody is to a service, in steps between which others may come.
///
/// It is written only while its person is what it was decided by, and decided anew where they are not. An ownership ends in
/// three steps: its document says that it is to end; it is looked whether another owner stays, of whom nobody says the same; it
/// ends, where its document says so still. So of those who end a service's last ownerships at once one sees the others, and no
/// service is without an owner at any time, whoever dies. Of two who wait for each other one gives way.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit; while others are in its way, some
/// seconds.
struct MembershipChange {
    /// What is to be done.
    struct Decision {
        /// Whose it is to be, as they are.
        let membership: Membership
        /// `nil`: nothing, for they are that.
        let outcome: MembershipWrites.Outcome?
        /// What is told of it, by whom and by which request; `nil`: nothing.
        var news: MembershipNews?
        /// Who asks for it, where that matters to what comes then.
        var asker: Membership?
    }

    private enum Stage {
        case undecided
        case decided(Membership, MembershipWrites.Outcome)
        case announced(Membership, MembershipWrites.Outcome, String)
        /// Another owner stays.
        case seen(Membership, MembershipWrites.Outcome, String)
    }

    /// How often others may be in the way.
    private static let turns = 50
    /// How long they get each time, in microseconds.
    private static let pause: UInt32 = 20_000

    private let writes: MembershipWrites
    private let derivedKey: DerivedKeyEnd
    private let now: Int64
    private let decide: () throws(MemberProblem) -> Decision?

    private var stage = Stage.undecided
    private var waits = 0
    /// Whether others were in the way of the latest step: they get a while.
    private(set) var isWaiting = false
    /// What was decided last; `nil` where nobody is to be changed.
    private(set) var decision: Decision?
    /// Whether it was made, rather than that there was nothing to do.
    private(set) var isWritten = false

    /// - Parameters:
    ///   - writes: to the memberships.
    ///   - derivedKey: ends the key that the service's owners know.
    ///   - now: milliseconds since 1970.
    ///   - decide: whether the change is allowed, and what it is, by what is stored at that moment; `nil`: none.
    init(
        _ writes: MembershipWrites,
        _ derivedKey: DerivedKeyEnd,
        now: Int64,
        decide: @escaping () throws(MemberProblem) -> Decision?
    ) {
        self.writes = writes
        self.derivedKey = derivedKey
        self.now = now
        self.decide = decide
    }

    /// Ends an ownership, unless it has ended by itself.
    static func ending(
        _ owner: Membership,
        _ outcome: MembershipWrites.Outcome,
        telling news: MembershipNews? = nil,
        _ writes: MembershipWrites,
        _ derivedKey: DerivedKeyEnd,
        now: Int64
    ) -> Self {
        var change = Self(writes, derivedKey, now: now) { () throws(MemberProblem) in
            let owner = try MemberProblem.asking { () throws(MongoError) in
                try writes.reader.membership(of: owner.account, in: owner.service)
            }
            guard let owner, owner.role == .owner else { return nil }
            return Decision(membership: owner, outcome: outcome, news: news)
        }
        change.decision = Decision(membership: owner, outcome: outcome, news: news)
        change.stage = .decided(owner, outcome)
        return change
    }

    /// Makes all steps.
    mutating func run() throws(MemberProblem) {
        while try !next() { if isWaiting { Self.wait() } }
    }

    static func wait() { usleep(pause) }

    /// Makes the next step.
    ///
    /// - Returns: whether it was the last.
    /// - Throws: ``MemberProblem``: nothing has changed.
    mutating func next() throws(MemberProblem) -> Bool {
        isWaiting = false
        do throws(MemberProblem) {
            return try step()
        } catch {
            switch stage {
            case .undecided, .decided: break
            // Else others would count on them again only after a while.
            case .announced(let membership, _, let id), .seen(let membership, _, let id):
                try? writes.withdraw(membership, id)
            }
            throw error
        }
    }

    private mutating func step() throws(MemberProblem) -> Bool {
        switch stage {
        case .undecided:
            decision = try decide()
            guard let decision, let outcome = decision.outcome else { return true }
            stage = .decided(decision.membership, outcome)
            return false
        case .decided(let membership, let outcome):
            if membership.role == .owner {
                try announce(membership, outcome)
                return false
            }
            isWritten = try MemberProblem.asking { () throws(MongoError) in
                try writes.write(outcome, for: membership, telling: decision?.news)
            }
            if !isWritten { try decideAnew() }
            return isWritten
        case .announced(let membership, let outcome, let id):
            try look(membership, outcome, id)
            return false
        case .seen(let membership, let outcome, let id):
            isWritten = try MemberProblem.asking { () throws(MongoError) in
                // Whoever owned the service knows it.
                try derivedKey.end(membership.service, now: now)
                return try writes.write(outcome, for: membership, disowning: id, telling: decision?.news)
            }
            if !isWritten { try decideAnew() }
            return isWritten
        }
    }

    private mutating func announce(
        _ membership: Membership,
        _ outcome: MembershipWrites.Outcome
    ) throws(MemberProblem) {
        switch try others(than: membership) {
        case .none: throw .lastOwner
        // Whoever has said so first goes on.
        case .mayEnd: try decideAnew()
        case .stay:
            let id = try MemberProblem.asking { () throws(MongoError) in try writes.announce(membership, now: now) }
            guard let id else { return try decideAnew() }
            stage = .announced(membership, outcome, id)
        }
    }

    private mutating func look(
        _ membership: Membership,
        _ outcome: MembershipWrites.Outcome,
        _ id: String
    ) throws(MemberProblem) {
        switch try others(than: membership) {
        case .none: throw .lastOwner
        case .stay: stage = .seen(membership, outcome, id)
        // All of them see all of them, and one stays.
        case .mayEnd(let others) where others.allSatisfy({ membership.account < $0 }): try wait()
        case .mayEnd:
            try MemberProblem.asking { () throws(MongoError) in try writes.withdraw(membership, id) }
            try decideAnew()
        }
    }

    private func others(than membership: Membership) throws(MemberProblem) -> MembershipWrites.OtherOwners {
        try MemberProblem.asking { () throws(MongoError) in
            try writes.owners(membership.service, beside: membership.account, now: now)
        }
    }

    private mutating func decideAnew() throws(MemberProblem) {
        stage = .undecided
        try wait()
    }

    private mutating func wait() throws(MemberProblem) {
        waits += 1
        isWaiting = true
        guard waits < Self.turns else { throw .service(.store(ServiceUpdates.restless)) }
    }
}

extension MemberProblem {
    /// Makes what the store says a problem.
    static func asking<Answer>(_ question: () throws(MongoError) -> Answer) throws(MemberProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .service(.store(error))
        }
    }
}
