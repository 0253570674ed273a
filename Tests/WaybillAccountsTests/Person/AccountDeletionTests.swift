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

    /// All that becomes of an account.
    private func delete(_ account: Account, _ rig: AccountRig) throws {
        guard let departing = try deletion(rig).decide(account.id, request: "req_1", now: now) else { return }
        _ = try deletion(rig).leaveServices(departing, now: now)
        try deletion(rig).erase(departing, now: now)
    }

    private func insert(_ account: Account, into service: String, as role: ServiceRole, _ rig: AccountRig) throws {
        let member = Membership(service: service, account: account.id, role: role, levels: .all)
        let bulk = rig.client.collection(database: rig.database, name: "memberships").bulk()
        try bulk.insert(member.document(now: now))
        try bulk.execute().requireDurable("insert")
    }

    /// What the account's document says of a deletion.
    private func mark(of account: Account, _ rig: AccountRig) throws -> BSONDocument? {
        let accounts = rig.client.collection(database: rig.database, name: "accounts")
        return try accounts.findOne(BSONDocument { $0.append("_id", string: account.id) })?["deletion"]?.document
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
            try delete(account, rig)
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
            try delete(account, rig)
            #expect(try rig.confirmed().id != account.id)
        }
    }

    @Test func whatOthersNeedStays() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try make(rig, owner: ada.id)
            try insert(eve, into: service.service.id, as: .member, rig)
            #expect(throws: AccountDeletionProblem.shared(1)) { try delete(ada, rig) }
            #expect(try rig.reader.account(id: ada.id) == ada)
            #expect(try mark(of: ada, rig) == nil)
            // Who only belongs to it leaves it.
            try delete(eve, rig)
            let reader = ServiceReader(client: rig.client, database: rig.database)
            #expect(try reader.members(of: service.service.id).map(\.account) == [ada.id])
            try delete(ada, rig)
            #expect(try reader.members(of: service.service.id).isEmpty)
        }
    }

    /// Who makes a service, or is made an owner, when the account has gone, has come too late.
    @Test func nothingBelongsToAnAccountThatHasGone() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try make(rig, owner: eve.id).service.id
            try delete(ada, rig)
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
            // As if all of it had come after the deletion had looked, and just before it was decided.
            let asked = try #require(try deletion(rig).ask(ada.id, request: "req_1", now: now))
            try deletion(rig).requireAlone(ada.id, now: now)
            let alone = try make(rig, owner: ada.id).service.id
            let shared = try make(rig, owner: ada.id).service.id
            try insert(eve, into: shared, as: .member, rig)
            let departing = try #require(try deletion(rig).decide(asked, now: now))
            let left = try deletion(rig).leaveServices(departing, now: now)
            #expect(left == LeftServices(ended: [alone], others: [shared]))
            // What the first did not come to is done by the second.
            #expect(try deletion(rig).leaveServices(departing, now: now).ended == [alone])
            let control = ServiceControl(client: rig.client, database: rig.database)
            #expect(try control.list(limit: 10).map(\.id) == [shared])
            #expect(try control.show(shared)?.members.map(\.role) == [.owner])
            #expect(try control.show(alone) == nil)
        }
    }

    /// How far a deletion has come when somebody comes.
    enum Place: Int, CaseIterable {
        case before, asked, looked, decided, left
    }

    /// Whoever comes to a service before its owner asks for a deletion has it refused; whoever comes later is refused.
    @Test(arguments: Place.allCases) func oneOfTwoIsRefused(place: Place) throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try make(rig, owner: ada.id).service.id
            let members = ServiceMembers(client: rig.client, database: rig.database)
            func come(_ here: Place) throws {
                guard here == place else { return }
                if place == .before {
                    _ = try members.join(service, eve.id, as: .member, most: 10, now: now)
                } else {
                    #expect(throws: MemberProblem.unknown) {
                        try members.join(service, eve.id, as: .member, most: 10, now: now)
                    }
                }
            }
            try come(.before)
            let asked = try #require(try deletion(rig).ask(ada.id, request: "req_1", now: now))
            try come(.asked)
            guard place != .before else {
                #expect(throws: AccountDeletionProblem.shared(1)) { try deletion(rig).requireAlone(ada.id, now: now) }
                try deletion(rig).withdraw(asked)
                #expect(try mark(of: ada, rig) == nil)
                return
            }
            try deletion(rig).requireAlone(ada.id, now: now)
            try come(.looked)
            let departing = try #require(try deletion(rig).decide(asked, now: now))
            #expect(try rig.reader.account(id: ada.id) == nil)
            try come(.decided)
            #expect(try deletion(rig).leaveServices(departing, now: now).ended == [service])
            try come(.left)
            let reader = ServiceReader(client: rig.client, database: rig.database)
            #expect(try reader.members(of: service).isEmpty)
        }
    }

    /// Of two owners who go, one sees the other.
    @Test(arguments: [false, true]) func whoWouldBeTheLastIsRefused(isDecided: Bool) throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let bob = try rig.confirmed("bob.b", "bob@example.com")
            let service = try make(rig, owner: ada.id).service.id
            try insert(eve, into: service, as: .owner, rig)
            try insert(bob, into: service, as: .member, rig)
            let asked = try #require(try deletion(rig).ask(ada.id, request: "req_1", now: now))
            try deletion(rig).requireAlone(ada.id, now: now)
            if isDecided { _ = try deletion(rig).decide(asked, now: now) }
            let members = ServiceMembers(client: rig.client, database: rig.database)
            #expect(throws: MemberProblem.lastOwner) { try members.leave(service, eve.id, now: now) }
            #expect(throws: AccountDeletionProblem.shared(1)) { try delete(eve, rig) }
            #expect(try mark(of: eve, rig) == nil)
        }
    }

    /// Two requests at once: one decides it, and neither takes back what the other asks for.
    @Test func ofTwoDeletionsOneDecides() throws {
        try AccountRig.run { rig in
            let ada = try rig.confirmed()
            let first = try #require(try deletion(rig).ask(ada.id, request: "req_1", now: now))
            let second = try #require(try deletion(rig).ask(ada.id, request: "req_2", now: now))
            try deletion(rig).withdraw(first)
            #expect(try deletion(rig).decide(first, now: now) == nil)
            let departing = try #require(try deletion(rig).decide(second, now: now))
            #expect(departing.request == "req_2")
            try deletion(rig).withdraw(second)
            #expect(try deletion(rig).ask(ada.id, request: "req_3", now: now) == nil)
            #expect(try deletion(rig).decide(ada.id, request: "req_3", now: now) == departing)
        }
    }

    /// What somebody has begun and not ended is found by others: what is decided is to be done, the rest is taken back.
    @Test func whatIsUnfinishedIsFound() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            _ = try deletion(rig).ask(ada.id, request: "req_1", now: now)
            let departing = try #require(try deletion(rig).decide(eve.id, request: "req_2", now: now))
            #expect(try deletion(rig).decided(before: now, limit: 10).isEmpty)
            try deletion(rig).withdrawStale(before: now)
            #expect(try deletion(rig).decided(before: now + 1, limit: 10) == [departing])
            #expect(try mark(of: ada, rig) != nil)
            try deletion(rig).withdrawStale(before: now + 1)
            #expect(try mark(of: ada, rig) == nil)
            #expect(try rig.reader.account(id: ada.id) == ada)
            #expect(try deletion(rig).decided(before: now + 1, limit: 10) == [departing])
            try deletion(rig).erase(departing, now: now)
            #expect(try deletion(rig).decided(before: now + 1, limit: 10).isEmpty)
        }
    }

    /// Whoever has left the services may have ended before anybody was told of it.
    @Test func whatAnotherRunHasLeftIsSaidAgain() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let own = try make(rig, owner: eve.id).service.id
            let others = try (0..<3).map { _ in try make(rig, owner: ada.id).service.id }
            for service in others { try insert(eve, into: service, as: .member, rig) }
            // She has left one herself, and one has ended.
            try ServiceMembers(client: rig.client, database: rig.database).leave(others[1], eve.id, now: now)
            try services(rig).delete(others[2], by: ada.id, now: now)
            let departing = try #require(try deletion(rig).decide(eve.id, request: "req_1", now: now))
            let left = try deletion(rig).leaveServices(departing, now: now)
            #expect(left == LeftServices(ended: [own], others: [others[0]]))
            #expect(try deletion(rig).leaveServices(departing, now: now + 60_000) == left)
        }
    }

    /// Whom nobody can write to goes all the same.
    @Test func anAddressThatCannotBeReadKeepsNobody() throws {
        try AccountRig.run { rig in
            let ada = try rig.confirmed()
            let accounts = rig.client.collection(database: rig.database, name: "accounts")
            _ = try accounts.findOneAndUpdate(
                BSONDocument { $0.append("_id", string: ada.id) },
                update: BSONDocument { $0.append("$set") { $0.append("email", string: "ada at example") } }
            )
            _ = try deletion(rig).decide(ada.id, request: "req_1", now: now)
            let departing = try #require(try deletion(rig).decided(before: now + 1, limit: 10).first)
            #expect(departing.email == nil)
            try deletion(rig).erase(departing, now: now)
            #expect(try deletion(rig).decided(before: now + 1, limit: 10).isEmpty)
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
                try insert(eve, into: service, as: meanwhile == .leaving ? .owner : .manager, rig)
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
                    let deletion = AccountDeletion(client: client, database: database, rules: rules)
                    guard let departing = try deletion.decide(eve.id, request: "req_1", now: now) else { return }
                    _ = try deletion.leaveServices(departing, now: now)
                    try deletion.erase(departing, now: now)
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
