/// A service goes from its owner to somebody else who belongs to it, in steps between which others may come.
///
/// First there is the new owner: a fault between the two leaves two.
///
/// *Thread:* its client's. *Blocking:* as ``MembershipChange``.
struct ServiceTransfer {
    private enum Stage {
        case giving(MembershipChange)
        case leaving(MembershipChange)
        /// The new owner does not stay, and becomes again what they were.
        case returning(MembershipChange)
    }

    private let ending:
        (_ owner: Membership, _ outcome: MembershipWrites.Outcome, _ news: MembershipNews?) -> MembershipChange
    private let given: MembershipNews?
    private let retract: (MembershipChange.Decision) throws(MemberProblem) -> Void
    private var stage: Stage
    /// By which the new owner owns it, and what they were before; `nil` where they owned it.
    private var giving: MembershipChange.Decision?

    /// - Parameters:
    ///   - giving: makes the new owner; who asks for that gives the service.
    ///   - given: what is to be told with the giver's ownership, where the new owner owned it before.
    ///   - ending: ends an ownership.
    ///   - retract: takes back what was to be told of the new owner.
    init(
        _ giving: MembershipChange,
        given: MembershipNews?,
        ending:
            @escaping (_ owner: Membership, _ outcome: MembershipWrites.Outcome, _ news: MembershipNews?) ->
            MembershipChange,
        retract: @escaping (MembershipChange.Decision) throws(MemberProblem) -> Void
    ) {
        stage = .giving(giving)
        self.given = given
        self.ending = ending
        self.retract = retract
    }

    /// Makes all steps.
    mutating func run() throws(MemberProblem) {
        while try !next() { if isWaiting { MembershipChange.wait() } }
    }

    private var isWaiting: Bool {
        switch stage {
        case .giving(let change), .leaving(let change), .returning(let change): change.isWaiting
        }
    }

    /// Makes the next step.
    ///
    /// - Returns: whether it was the last.
    /// - Throws: ``MemberProblem``.
    mutating func next() throws(MemberProblem) -> Bool {
        switch stage {
        case .giving(var change):
            let isLast = try change.next()
            stage = .giving(change)
            guard isLast else { return false }
            guard let giver = change.decision?.asker else { return true }
            giving = change.isWritten ? change.decision : nil
            stage = .leaving(ending(giver, .role(.manager), change.isWritten ? nil : given))
            return false
        case .leaving(let change): return try leave(change)
        case .returning(var change):
            if try change.next() { throw .lastOwner }
            stage = .returning(change)
            return false
        }
    }

    private mutating func leave(_ change: MembershipChange) throws(MemberProblem) -> Bool {
        var change = change
        do throws(MemberProblem) {
            let isLast = try change.next()
            stage = .leaving(change)
            return isLast
        } catch {
            guard error == .lastOwner, let giving else { throw error }
            try retract(giving)
            var owner = giving.membership
            let former = owner.role
            owner.role = .owner
            stage = .returning(ending(owner, .role(former), nil))
            return false
        }
    }
}
