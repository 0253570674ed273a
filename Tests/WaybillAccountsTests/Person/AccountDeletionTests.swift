import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// What is left of an account that its person has deleted, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct AccountDeletionTests {
    private let now = AccountRig.now

    private func deletion(_ rig: AccountRig) -> AccountDeletion {
        AccountDeletion(client: rig.client, database: rig.database, rules: rig.rules)
    }

    private func services(_ rig: AccountRig) -> ServiceStore {
        ServiceStore(client: rig.client, database: rig.database, secrets: rig.rules.keys.serviceKeys)
    }

    private func make(_ rig: AccountRig, owner: String) throws -> OwnService {
        try services(rig).create(
            owner: owner,
            name: try #require(ServiceName("Build")),
            levels: .all,
            now: now
        )
    }

    @Test func nothingPersonalIsLeft() throws {
        try AccountRig.run { rig in
            let account = try rig.confirmed()
            let tokens = try rig.logins.begin(account, now: now)
            let service = try make(rig, owner: account.id)
            try deletion(rig).delete(account, now: now)
            #expect(try rig.reader.account(id: account.id) == nil)
            #expect(throws: AccessProblem.refused) { try rig.tokens.account(tokens.access, now: now) }
            #expect(throws: RenewalProblem.refused) { try rig.logins.renew(tokens.refresh, now: now) }
            let reader = ServiceReader(client: rig.client, database: rig.database)
            #expect(
                try reader.services(showing: [try #require(service.key)], secrets: rig.rules.keys.serviceKeys)[0] == nil
            )
            for document in try rig.client.collection(database: rig.database, name: "accounts").find(.empty).all() {
                let text = String(decoding: document.bytes, as: UTF8.self).lowercased()
                for word in ["ada.l", "example.com", "argon2"] { #expect(!text.contains(word)) }
                #expect(document["expires_at"]?.date == now)
            }
            // Its name and its address are free, and the same again is safe.
            try deletion(rig).delete(account, now: now)
            #expect(try rig.confirmed().id != account.id)
        }
    }

    @Test func whatOthersNeedStays() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try make(rig, owner: ada.id)
            let member = Membership(service: service.service.id, account: eve.id, role: .member, levels: .all)
            let bulk = rig.client.collection(database: rig.database, name: "memberships").bulk()
            try bulk.insert(member.document(now: now))
            try bulk.execute().requireDurable("insert")
            #expect(throws: AccountDeletionProblem.shared(1)) { try deletion(rig).delete(ada, now: now) }
            #expect(try rig.reader.account(id: ada.id) == ada)
            // Who only belongs to it leaves it.
            try deletion(rig).delete(eve, now: now)
            let reader = ServiceReader(client: rig.client, database: rig.database)
            #expect(try reader.members(of: service.service.id).map(\.account) == [ada.id])
            try deletion(rig).delete(ada, now: now)
            #expect(try reader.members(of: service.service.id).isEmpty)
        }
    }

    /// Who makes a service, or is made an owner, when the account has gone, has come too late.
    @Test func nothingBelongsToAnAccountThatHasGone() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try make(rig, owner: eve.id).service.id
            try deletion(rig).delete(ada, now: now)
            #expect(throws: ServiceProblem.departed) { try make(rig, owner: ada.id) }
            let control = ServiceControl(client: rig.client, database: rig.database)
            #expect(throws: MongoError.self) { try control.transfer(service, to: ada.id, now: now) }
            let members = ServiceMembers(client: rig.client, database: rig.database)
            #expect(throws: MemberProblem.service(.departed)) {
                try members.join(service, ada.id, as: .manager, most: 10, now: now)
            }
            #expect(try control.list(limit: 10).map(\.id) == [service])
            #expect(try control.show(service)?.members.map(\.account) == [eve.id])
        }
    }

    /// What was made between the looks of a deletion goes with it: what nobody else belongs to is deleted, the rest is
    /// somebody's.
    @Test func whatComesDuringADeletionIsSeenByIt() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let alone = try make(rig, owner: ada.id).service.id
            let shared = try make(rig, owner: ada.id).service.id
            let member = Membership(service: shared, account: eve.id, role: .member, levels: .all)
            let bulk = rig.client.collection(database: rig.database, name: "memberships").bulk()
            try bulk.insert(member.document(now: now))
            try bulk.execute().requireDurable("insert")
            let control = ServiceControl(client: rig.client, database: rig.database)
            // As if all of it had come after the deletion had looked, and just before the account went.
            try deletion(rig).leaveForGood(ada, now: now)
            #expect(try control.list(limit: 10).map(\.id) == [shared])
            #expect(try control.show(shared)?.members.map(\.role) == [.owner])
            #expect(try control.show(alone) == nil)
        }
    }

    /// Beside each other, in any order.
    @Test(arguments: Meanwhile.allCases) func noServiceIsWithoutAnOwner(meanwhile: Meanwhile) throws {
        let pool = try TestDatabase.pool
        try AccountRig.run { rig in
            for number in 0..<20 {
                let ada = try rig.confirmed("ada\(number)", "ada\(number)@example.com")
                let eve = try rig.confirmed("eve\(number)", "eve\(number)@example.com")
                let service = try make(rig, owner: ada.id).service.id
                let member = Membership(
                    service: service,
                    account: eve.id,
                    role: meanwhile == .leaving ? .owner : .manager,
                    levels: .all
                )
                let bulk = rig.client.collection(database: rig.database, name: "memberships").bulk()
                try bulk.insert(member.document(now: now))
                try bulk.execute().requireDurable("insert")
                let (database, rules, now) = (rig.database, rig.rules, now)
                let done = DispatchGroup()
                @Sendable func beside(_ body: @escaping @Sendable (MongoClient) throws -> Void) {
                    done.enter()
                    Thread.detachNewThread {
                        defer { done.leave() }
                        guard let client = try? pool.pop() else { return }
                        defer { pool.push(client) }
                        usleep(UInt32.random(in: 0...20_000))
                        try? body(client)
                    }
                }
                beside { client in
                    try AccountDeletion(client: client, database: database, rules: rules).delete(eve, now: now)
                }
                beside { client in
                    let members = ServiceMembers(client: client, database: database)
                    switch meanwhile {
                    case .making:
                        guard let name = ServiceName("Build") else { return }
                        _ = try ServiceStore(client: client, database: database, secrets: rules.keys.serviceKeys)
                            .create(owner: eve.id, name: name, levels: .all, now: now)
                    case .giving: try members.transfer(service, to: eve.id, by: ada.id, now: now)
                    case .promoting:
                        _ = try members.change(.owner, of: eve.id, in: service, by: ada.id, now: now)
                        try members.leave(service, ada.id, now: now)
                    case .leaving: try members.leave(service, ada.id, now: now)
                    case .ordering:
                        _ = try ServiceControl(client: client, database: database)
                            .transfer(service, to: eve.id, now: now)
                    }
                }
                done.wait()
                let control = ServiceControl(client: rig.client, database: rig.database)
                for left in try control.list(limit: 100) {
                    let owners = try control.show(left.id)?.members.filter { $0.role == .owner } ?? []
                    #expect(!owners.isEmpty, "\(number)")
                    for owner in owners { #expect(try rig.reader.account(id: owner.account) != nil, "\(number)") }
                }
            }
        }
    }

    /// What somebody does while an account is deleted.
    enum Meanwhile: CaseIterable, Sendable {
        case making
        case giving
        case promoting
        case leaving
        case ordering
    }
}
