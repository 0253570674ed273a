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
        let service: String
        let key: ServiceKey

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
            let name = try #require(ServiceName("Build"))
            let made = try store.create(owner: ada.id, name: name, image: nil, levels: .all, now: now)
            let key = try #require(made.key)
            try body(Rig(accounts: accounts, owner: ada, other: eve, service: made.service.id, key: key))
        }
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
                try AccountDeletion(client: client, database: database, rules: rig.accounts.rules).delete(ada, now: now)
            }
            #expect(try !rig.holds())
            // Who owns it then reads none, and has a new one made.
            #expect(try rig.services.owned(by: eve.id).first.map { $0.key == nil } == true)
            #expect(try rig.services.newKey(rig.service, by: eve.id, now: now).key != nil)
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
