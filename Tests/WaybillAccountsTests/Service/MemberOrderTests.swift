import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Two people change at once who belongs to a service: whatever the order of their steps, it is as if one had come after the other;
/// against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct MemberOrderTests {
    /// So many orders of two acts are tried at the most, by lot.
    private static let most = 40

    private static let one: Roles = ["A": .owner, "M": .manager, "X": .member]
    private static let two: Roles = ["A": .owner, "B": .owner, "M": .manager, "X": .member]

    private static let besideTransfer: [MemberAct] = [
        .leave("X"), .remove("X", by: "M"), .set("X", .manager, by: "M"), .remove("X", by: "A"),
        .set("M", .owner, by: "A"),
        .transfer("A", to: "M"), .order("X"), .order("M"), .delete("X"), .leave("M"), .join("B", .member),
    ]
    private static let besideTransferOfOneOfTwo: [MemberAct] = [
        .set("A", .member, by: "B"), .remove("A", by: "B"), .leave("A"), .leave("B"), .set("B", .member, by: "A"),
        .transfer("B", to: "A"), .transfer("B", to: "X"), .order("X"), .delete("A"), .delete("B"), .leave("X"),
    ]
    private static let others: [(MemberAct, MemberAct)] = [
        (.leave("A"), .leave("B")), (.leave("A"), .remove("A", by: "B")), (.leave("A"), .remove("B", by: "A")),
        (.set("A", .member, by: "B"), .set("B", .member, by: "A")), (.leave("A"), .set("A", .manager, by: "B")),
        (.set("A", .member, by: "B"), .set("A", .manager, by: "B")), (.leave("A"), .delete("B")),
        (.set("A", .member, by: "B"), .delete("B")), (.delete("A"), .delete("B")), (.order("A"), .leave("A")),
        (.order("A"), .set("A", .member, by: "B")), (.order("X"), .leave("X")),
        (.order("X"), .leave("A")), (.order("X"), .set("X", .manager, by: "M")),
        (.leave("X"), .set("X", .owner, by: "A")), (.remove("X", by: "M"), .set("X", .owner, by: "A")),
        (.set("X", .owner, by: "A"), .set("X", .manager, by: "M")), (.remove("M", by: "A"), .remove("X", by: "M")),
    ]
    private static let ofStrangers: [(MemberAct, MemberAct)] = [
        (.order("X"), .join("X", .member)), (.order("X"), .leave("A")), (.order("X"), .set("M", .owner, by: "A")),
        (.join("X", .member), .leave("M")), (.join("X", .manager), .delete("A")),
    ]

    private static let ofOne: [(MemberAct, MemberAct)] = [
        (.order("X"), .delete("X")), (.order("X"), .leave("A")), (.set("X", .owner, by: "A"), .delete("X")),
    ]

    static var pairs: [Pair] {
        besideTransfer.map { Pair(one, .transfer("A", to: "X"), $0) }
            + besideTransferOfOneOfTwo.map { Pair(two, .transfer("A", to: "X"), $0) } + others.map { Pair(two, $0, $1) }
            + ofOne.map { Pair(one, $0, $1) }
            + ofStrangers.map { Pair(["A": .owner, "M": .manager], $0, $1) }
    }

    /// Two acts, and what people are before them.
    struct Pair: CustomTestStringConvertible, Sendable {
        let roles: Roles
        let first: MemberAct
        let second: MemberAct

        init(_ roles: Roles, _ first: MemberAct, _ second: MemberAct) {
            (self.roles, self.first, self.second) = (roles, first, second)
        }

        var testDescription: String { "\(first) beside \(second)" }

        /// Whether the acts can have ended like this, one after the other.
        func admits(_ answers: (Bool, Bool), _ end: Roles) -> Bool {
            switch answers {
            case (true, true): return isChain(first, second, end) || isChain(second, first, end)
            case (true, false): return first.after(roles) == end && isRefused(second, beside: first)
            case (false, true): return second.after(roles) == end && isRefused(first, beside: second)
            // Who deletes an account, and who leaves a service to them, may see each other, and both give way.
            case (false, false):
                return end == roles
                    && (isRefused(first, beside: second) && isRefused(second, beside: first) || hasDeletion)
            }
        }

        private var hasDeletion: Bool {
            [first, second].contains { if case .delete = $0 { true } else { false } }
        }

        private func isChain(_ one: MemberAct, _ next: MemberAct, _ end: Roles) -> Bool {
            one.after(roles).flatMap { next.after($0, former: roles) } == end
        }

        private func isRefused(_ act: MemberAct, beside other: MemberAct) -> Bool {
            act.after(roles) == nil || other.after(roles).map { act.after($0) == nil } ?? false || hasDeletion
        }
    }

    @Test(arguments: pairs) func itIsAsIfOneHadComeAfterTheOther(pair: Pair) throws {
        try AccountRig.run { accounts in
            let people = try MemberRig.people(accounts)
            func steps(_ act: MemberAct) throws -> Int {
                let steps = try MemberRig.make(pair.roles, accounts, people).steps(act)
                while steps.answer == nil { try steps.next() }
                return steps.count
            }
            for order in Self.orders(try steps(pair.first), try steps(pair.second)) {
                let rig = try MemberRig.make(pair.roles, accounts, people)
                let acts = [rig.steps(pair.first), rig.steps(pair.second)]
                func step(_ number: Int) throws {
                    guard acts[number].answer == nil else { return }
                    try acts[number].next()
                    #expect(try rig.roles().values.contains(.owner), "\(order)")
                }
                for isFirst in order { try step(isFirst ? 0 : 1) }
                while acts.contains(where: { $0.answer == nil }) { for number in 0..<2 { try step(number) } }
                let answers = (acts[0].answer == true, acts[1].answer == true)
                let end = try rig.roles()
                #expect(pair.admits(answers, end), "\(order) \(answers) \(end)")
                #expect(try rig.isSettled(), "\(order)")
            }
        }
    }

    /// All ways to put the steps of two into one order, or as many of them as are tried: true where it is the first one's turn.
    private static func orders(_ first: Int, _ second: Int) -> [[Bool]] {
        let all = (0..<(1 << (first + second))).lazy.filter { $0.nonzeroBitCount == first }
            .map { bits in (0..<first + second).map { bits & 1 << $0 != 0 } }
        return Array(Array(all).shuffled().prefix(most))
    }

    /// Who shows an invitation stays what others have made them meanwhile.
    @Test func whoBelongsToAServiceIsNotLetInAgain() throws {
        try AccountRig.run { accounts in
            let people = try MemberRig.people(accounts)
            let rig = try MemberRig.make(["A": .owner], accounts, people)
            let writes = MembershipWrites(client: accounts.client, database: accounts.database)
            let (a, x) = (try #require(people["A"]), try #require(people["X"]))
            #expect(try !writes.admit(a, to: rig.service, as: .member, now: AccountRig.now + 20))
            #expect(try writes.admit(x, to: rig.service, as: .member, now: AccountRig.now + 20))
            #expect(try rig.roles() == ["A": .owner, "X": .member])
            let steps = rig.steps(.leave("X"))
            while steps.answer == nil { try steps.next() }
            #expect(try writes.admit(x, to: rig.service, as: .manager, now: AccountRig.now + 30))
            #expect(try rig.roles() == ["A": .owner, "X": .manager])
        }
    }

    /// The end of an ownership that nobody has lived to make stands in nobody's way for good.
    @Test func whatNobodyEndsIsTakenBack() throws {
        try AccountRig.run { accounts in
            let people = try MemberRig.people(accounts)
            let rig = try MemberRig.make(["A": .owner, "B": .owner], accounts, people)
            let writes = MembershipWrites(client: accounts.client, database: accounts.database)
            let (a, b, begun) = (try #require(people["A"]), try #require(people["B"]), AccountRig.now + 20)
            let owner = Membership(service: rig.service, account: b, role: .owner, levels: .all)
            let id = try #require(try writes.announce(owner, now: begun))
            #expect(try writes.owners(rig.service, beside: a, now: begun) == .mayEnd([b]))
            #expect(try writes.owners(rig.service, beside: a, now: begun + 60_001) == .stay)
            #expect(try !writes.write(.gone(begun), for: owner, disowning: id))
            #expect(try rig.roles() == ["A": .owner, "B": .owner])
        }
    }
}
