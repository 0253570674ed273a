import Testing
import WaybillMongo

@testable import WaybillAccounts

/// What people, who go by letters, do to who belongs to a service.
enum MemberAct: Hashable, CustomStringConvertible {
    case transfer(String, to: String)
    case leave(String)
    case remove(String, by: String)
    case set(String, ServiceRole, by: String)
    /// By whoever runs the installation.
    case order(String)
    case join(String, ServiceRole)
    /// Deletes their account.
    case delete(String)

    var description: String {
        switch self {
        case .transfer(let giver, let other): "\(giver) transfers to \(other)"
        case .leave(let who): "\(who) leaves"
        case .remove(let who, let by): "\(by) removes \(who)"
        case .set(let who, let role, let by): "\(by) makes \(who) \(role)"
        case .order(let who): "operator transfers to \(who)"
        case .join(let who, let role): "\(who) joins as \(role)"
        case .delete(let who): "\(who) deletes their account"
        }
    }
}

typealias Roles = [String: ServiceRole]

extension MemberAct {
    /// What the act makes of a service, as the rules say.
    ///
    /// - Parameters:
    ///   - roles: before it.
    ///   - former: what people were when it was asked for: who was allowed to then may; `nil`: the same.
    /// - Returns: `nil` where it is refused.
    func after(_ roles: Roles, former: Roles? = nil) -> Roles? {
        var after = roles
        func may(_ who: String, _ least: ServiceRole) -> Bool {
            [roles[who], former?[who]].compactMap { $0 }.contains { $0 >= least }
        }
        func isLastOwner(_ who: String) -> Bool {
            roles[who] == .owner && !roles.contains { $0.key != who && $0.value == .owner }
        }
        switch self {
        case .transfer(let giver, let other):
            guard may(giver, .owner), roles[other] != nil else { return nil }
            if roles[giver] == .owner { after[giver] = .manager }
            after[other] = .owner
        case .leave(let who):
            guard roles[who] != nil, !isLastOwner(who) else { return nil }
            after[who] = nil
        case .remove(let who, let by):
            guard let role = roles[who], may(by, role == .owner ? .owner : .manager), !isLastOwner(who) else {
                return nil
            }
            after[who] = nil
        case .set(let who, let role, let by):
            guard let before = roles[who], may(by, .manager) else { return nil }
            guard before != role else { return roles }
            guard role != .owner && before != .owner || may(by, .owner), !isLastOwner(who) else { return nil }
            after[who] = role
        case .order(let who):
            after = roles.mapValues { $0 == .owner ? .manager : $0 }
            after[who] = .owner
        case .join(let who, let role): if roles[who] == nil { after[who] = role }
        case .delete(let who):
            guard !isLastOwner(who) || roles.count == 1 else { return nil }
            after[who] = nil
        }
        return after
    }
}

/// An act, of which the next step is made at each call.
final class MemberSteps {
    /// False where it was refused; `nil` until that is known.
    private(set) var answer: Bool?
    private(set) var count = 0
    private let body: () throws -> Bool

    /// - Parameter body: makes the next step, and says whether it was the last.
    init(_ body: @escaping () throws -> Bool) {
        self.body = body
    }

    func next() throws {
        guard answer == nil else { return }
        count += 1
        do {
            if try body() { answer = true }
        } catch MemberProblem.service(.store(let error)) {
            throw error
        } catch is MemberProblem {
            answer = false
        } catch AccountDeletionProblem.shared {
            answer = false
        }
    }
}

/// A service, and people whose letters are names.
struct MemberRig {
    let accounts: AccountRig
    let people: [String: String]
    let service: String
    private let now = AccountRig.now + 10

    private var members: ServiceMembers { ServiceMembers(client: accounts.client, database: accounts.database) }
    private var reader: ServiceReader { ServiceReader(client: accounts.client, database: accounts.database) }

    static let letters = ["A", "B", "M", "X"]

    static func people(_ rig: AccountRig) throws -> [String: String] {
        var people: [String: String] = [:]
        for letter in letters {
            people[letter] = try rig.confirmed("person.\(letter)", "\(letter)@example.com").id
        }
        return people
    }

    /// A new service; nothing is left of the one before.
    static func make(_ roles: Roles, _ rig: AccountRig, _ people: [String: String]) throws -> MemberRig {
        for name in ["memberships", "services"] {
            let delete = BSONDocument { command in
                command.append("delete", string: name)
                command.append(
                    "deletes",
                    array: { deletes in
                        deletes.append { one in
                            one.append("q", document: .empty)
                            one.append("limit", int: 0)
                        }
                    }
                )
            }
            _ = try rig.client.command(database: rig.database, delete)
        }
        let bulk = rig.client.collection(database: rig.database, name: "accounts").bulk()
        try bulk.updateMany(
            filter: .empty,
            update: BSONDocument { $0.append("$unset") { $0.append("deletion", int: 1) } }
        )
        try bulk.execute().requireDurable("reset")
        let service = ServiceDetails(
            id: ServiceDetails.newID(),
            name: "Build",
            owner: people["A"]!,
            now: AccountRig.now
        )
        let services = rig.client.collection(database: rig.database, name: "services").bulk()
        try services.insert(service.document())
        try services.execute().requireDurable("insert")
        let memberships = rig.client.collection(database: rig.database, name: "memberships").bulk()
        for (letter, role) in roles {
            let member = Membership(service: service.id, account: people[letter]!, role: role, levels: .all)
            try memberships.insert(member.document(now: AccountRig.now))
        }
        try memberships.execute().requireDurable("insert")
        return MemberRig(accounts: rig, people: people, service: service.id)
    }

    /// What the people are whose accounts have not gone.
    func roles() throws -> Roles {
        let members = try reader.members(of: service)
        let standing = try reader.accounts.standing(of: Set(members.map(\.account)))
        let letters = Dictionary(uniqueKeysWithValues: people.map { ($1, $0) })
        return Dictionary(
            uniqueKeysWithValues: members.filter { standing[$0.account] != .gone }
                .map { (letters[$0.account] ?? $0.account, $0.role) }
        )
    }

    /// Whether nobody's ownership is said to end.
    func isSettled() throws -> Bool { try reader.members(of: service).allSatisfy { $0.disowning == nil } }

    func steps(_ act: MemberAct) -> MemberSteps {
        let (members, service, people, now) = (members, service, people, now)
        let (client, database) = (accounts.client, accounts.database)
        switch act {
        case .transfer(let giver, let other):
            var transfer = members.transferring(service, to: people[other]!, by: people[giver]!, now: now)
            return MemberSteps { try transfer.next() }
        case .leave(let who):
            var change = members.removing(people[who]!, from: service, by: people[who]!, now: now)
            return MemberSteps { try change.next() }
        case .remove(let who, let by):
            var change = members.removing(people[who]!, from: service, by: people[by]!, now: now)
            return MemberSteps { try change.next() }
        case .set(let who, let role, let by):
            var change = members.changing(role, of: people[who]!, in: service, by: people[by]!, now: now)
            return MemberSteps { try change.next() }
        case .order(let who):
            var transfer = OperatorTransfer(service, to: people[who]!, client: client, database: database, now: now)
            return MemberSteps { try transfer.next() }
        case .join(let who, let role):
            return MemberSteps {
                _ = try members.join(service, people[who]!, as: role, most: 10, now: now)
                return true
            }
        case .delete(let who): return delete(people[who]!)
        }
    }

    private func delete(_ account: String) -> MemberSteps {
        let deletion = AccountDeletion(client: accounts.client, database: accounts.database, rules: accounts.rules)
        let now = now
        var number = 0
        var asked: AccountDeletion.Asked?
        var departing: DepartingAccount?
        return MemberSteps {
            defer { number += 1 }
            switch number {
            case 0: asked = try deletion.ask(account, request: "req_1", now: now)
            case 1:
                do {
                    try deletion.requireAlone(account, now: now)
                } catch {
                    try deletion.withdraw(#require(asked))
                    throw error
                }
            case 2: departing = try deletion.decide(#require(asked), now: now)
            default:
                _ = try deletion.leaveServices(#require(departing), now: now)
                return true
            }
            return false
        }
    }
}
