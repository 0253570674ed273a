import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// The key that owners can read again: theirs alone, and ended with their ownership; against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct DerivedKeyEndTests {
    private static let now = AccountRig.now

    private struct Rig {
        let accounts: AccountRig
        let owner: Account
        let other: Account
        var service: String
        var key: ServiceKey

        var secrets: ServiceKeySecrets { accounts.rules.keys.serviceKeys }
        var services: ServiceStore {
            ServiceStore(client: accounts.client, database: accounts.database, secrets: secrets)
        }
        var members: ServiceMembers { ServiceMembers(client: accounts.client, database: accounts.database) }

        func join(_ role: ServiceRole) throws {
            let member = Membership(service: service, account: other.id, role: role, levels: .all)
            let bulk = accounts.client.collection(database: accounts.database, name: "memberships").bulk()
            try bulk.insert(member.document(now: now))
            try bulk.execute().requireDurable("insert")
        }

        /// What the last step of an owner's going writes, and nothing else.
        func end(_ going: Going) throws {
            let filter = BSONDocument { writer in
                writer.append("service", string: service)
                writer.append("account", string: owner.id)
            }
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    switch going {
                    case .demoted: set.append("role", string: "manager")
                    case .removed: set.append("expires_at", date: now + 2)
                    }
                }
            }
            let memberships = accounts.client.collection(database: accounts.database, name: "memberships")
            _ = try memberships.findOneAndUpdate(filter, update: update)
        }

        /// What the owner reads of the service in the thesis' API.
        func readable() throws -> ServiceKey? {
            try services.owned(by: owner.id).first { $0.service.id == service }?.key
        }

        func holds() throws -> Bool {
            try ServiceReader(client: accounts.client, database: accounts.database)
                .services(showing: [key], secrets: secrets)[0] != nil
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try AccountRig.run { accounts in
            let (ada, eve) = (try accounts.confirmed(), try accounts.confirmed("eve.e", "eve@example.com"))
            let store = ServiceStore(
                client: accounts.client,
                database: accounts.database,
                secrets: accounts.rules.keys.serviceKeys
            )
            let made = try make(store, owner: ada)
            try body(Rig(accounts: accounts, owner: ada, other: eve, service: made.service, key: made.key))
        }
    }

    private static func make(_ store: ServiceStore, owner: Account) throws -> (service: String, key: ServiceKey) {
        let name = try #require(ServiceName("Build"))
        let made = try store.create(owner: owner.id, name: name, image: nil, levels: .all, now: now)
        return (made.service.id, try #require(made.key))
    }

    @Test func managersDoNotReadIt() throws {
        try Self.run { rig in
            try rig.join(.manager)
            let change = ServiceChange(service: rig.service, name: ServiceName("Night"), levels: nil)
            let changed = try #require(try rig.services.change([change], by: rig.other.id, now: Self.now + 1).first)
            #expect(changed.key == nil)
            #expect(try rig.services.change([change], by: rig.owner.id, now: Self.now + 2).first?.key != nil)
            // Nor is there anything for them in the thesis' API.
            #expect(throws: ServiceProblem.refused) {
                _ = try rig.services.change([change], by: rig.other.id, as: .readDerivedKey, now: Self.now + 3)
            }
            #expect(throws: ServiceProblem.refused) {
                _ = try rig.services.newKey(rig.service, by: rig.other.id, now: Self.now + 3)
            }
            #expect(try rig.holds())
        }
    }

    /// How somebody stops owning a service.
    enum End: CaseIterable {
        case transfer, demotion, removal, leaving, operatorsTransfer, deletion
    }

    @Test(arguments: End.allCases)
    func itEndsWithAnOwnership(end: End) throws {
        try Self.run { rig in
            try rig.join(.owner)
            #expect(try rig.holds())
            let (ada, eve, now) = (rig.owner, rig.other, Self.now + 1)
            let (client, database) = (rig.accounts.client, rig.accounts.database)
            switch end {
            case .transfer: try rig.members.transfer(rig.service, to: eve.id, by: ada.id, now: now)
            case .demotion: _ = try rig.members.change(.manager, of: ada.id, in: rig.service, by: eve.id, now: now)
            case .removal: try rig.members.remove(ada.id, from: rig.service, by: eve.id, now: now)
            case .leaving: try rig.members.leave(rig.service, ada.id, now: now)
            case .operatorsTransfer:
                _ = try ServiceControl(client: client, database: database).transfer(rig.service, to: eve.id, now: now)
            case .deletion:
                let deletion = AccountDeletion(client: client, database: database, rules: rig.accounts.rules)
                let departing = try #require(try deletion.decide(ada.id, request: "req_1", now: now))
                _ = try deletion.leaveServices(departing, now: now)
            }
            #expect(try !rig.holds())
            // Who owns it then reads none, and has a new one made.
            #expect(try rig.services.owned(by: eve.id).first.map { $0.key == nil } == true)
            #expect(try rig.services.newKey(rig.service, by: eve.id, now: now).key != nil)
        }
    }

    /// How an owner goes after their key has ended.
    enum Going: CaseIterable {
        case demoted, removed
    }

    /// Each order of the end of an ownership (the key, the role) and of a new key beside it (looked whose it is, written).
    private static let orders = ["erlw", "elrw", "elwr", "lerw", "lewr", "lwer"]

    /// A key that is made while somebody stops owning the service is not theirs, whoever has it made: neither one they were told,
    /// nor one that they have read.
    @Test(arguments: Going.allCases, [true, false])
    func aKeyThatIsMadeMeanwhileIsNoFormerOwners(going: Going, isTheirs: Bool) throws {
        try Self.run { first in
            for order in Self.orders {
                var rig = first
                (rig.service, rig.key) = try Self.make(rig.services, owner: rig.owner)
                try rig.join(.owner)
                let (client, database) = (rig.accounts.client, rig.accounts.database)
                let (maker, createdAt) = (isTheirs ? rig.owner.id : rig.other.id, Self.now + 50)
                let issue = DerivedKeyIssue(client: client, database: database)
                let made = try rig.services.insertKey(rig.service, createdAt: createdAt)
                var seen: DerivedKeyIssue.Seen?
                var known = [rig.key]
                if isTheirs { known.append(made) }
                for step in order {
                    switch step {
                    case "e": try DerivedKeyEnd(client: client, database: database).end(rig.service, now: Self.now + 1)
                    case "r": try rig.end(going)
                    case "l": seen = try? issue.look(rig.service, by: maker)
                    default:
                        // As often as it takes.
                        if try seen.flatMap({ try issue.write(createdAt, $0) }) == nil {
                            _ = try? issue.issue(createdAt, of: rig.service, by: maker)
                        }
                    }
                    if let read = try rig.readable() { known.append(read) }
                }
                let reader = ServiceReader(client: client, database: database)
                let found = try reader.services(showing: known, secrets: rig.secrets)
                #expect(found.allSatisfy { $0 == nil }, "\(order)")
                // Nor does it come back with them.
                let joined = try rig.members.join(rig.service, rig.owner.id, as: .manager, most: 10, now: Self.now + 60)
                #expect(joined.membership.role == .manager)
                _ = try rig.members.change(
                    .owner,
                    of: rig.owner.id,
                    in: rig.service,
                    by: rig.other.id,
                    now: Self.now + 70
                )
                #expect(try reader.services(showing: known, secrets: rig.secrets).allSatisfy { $0 == nil }, "\(order)")
                let new = try #require(
                    try rig.services.newKey(rig.service, by: rig.other.id, now: Self.now + 80).key
                )
                #expect(try reader.services(showing: [new], secrets: rig.secrets)[0] != nil, "\(order)")
                #expect(try rig.readable()?.reveal() == new.reveal(), "\(order)")
            }
        }
    }

    /// An earlier version does not say whose its keys are.
    @Test func aKeyOfAnEarlierVersionHolds() throws {
        try Self.run { rig in
            let services = rig.accounts.client.collection(database: rig.accounts.database, name: "services")
            let update = BSONDocument { $0.append("$unset") { $0.append("key_holders", int: 1) } }
            _ = try services.findOneAndUpdate(BSONDocument { $0.append("_id", string: rig.service) }, update: update)
            #expect(try rig.holds())
            #expect(try rig.services.owned(by: rig.owner.id).first?.key?.reveal() == rig.key.reveal())
        }
    }

    @Test func itStaysWithItsOwners() throws {
        try Self.run { rig in
            #expect(throws: MemberProblem.lastOwner) {
                try rig.members.leave(rig.service, rig.owner.id, now: Self.now + 1)
            }
            #expect(throws: MemberProblem.lastOwner) {
                _ = try rig.members.change(
                    .member,
                    of: rig.owner.id,
                    in: rig.service,
                    by: rig.owner.id,
                    now: Self.now + 1
                )
            }
            let control = ServiceControl(client: rig.accounts.client, database: rig.accounts.database)
            _ = try control.transfer(rig.service, to: rig.owner.id, now: Self.now + 1)
            // A manager has never read it.
            try rig.join(.manager)
            try rig.members.remove(rig.other.id, from: rig.service, by: rig.owner.id, now: Self.now + 1)
            #expect(try rig.holds())
        }
    }
}
