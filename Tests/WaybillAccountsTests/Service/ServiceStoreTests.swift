import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct ServiceStoreTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let secrets = ServiceKeySecrets(
        current: .init(id: "r1", secret: [UInt8](repeating: 1, count: 32)),
        former: nil
    )

    private struct Rig {
        let client: MongoClient
        let database: String
        var store: ServiceStore { ServiceStore(client: client, database: database, secrets: secrets) }
        var reader: ServiceReader { ServiceReader(client: client, database: database) }

        func create(_ owner: String = "acc_a", _ levels: NotificationLevels = .all, now: Int64 = now) throws
            -> OwnService
        {
            let name = try #require(ServiceName("Backups"))
            try account(owner)
            return try store.create(owner: owner, name: name, levels: levels, now: now)
        }

        func account(_ id: String, suspendedAt: Int64? = nil) throws {
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    // Unique, and nobody looks at it here.
                    for field: StaticString in ["username_key", "email_key"] { set.append(field, string: id) }
                    if let suspendedAt { set.append("suspended_at", date: suspendedAt) }
                }
            }
            let bulk = client.collection(database: database, name: "accounts").bulk()
            try bulk.updateOne(filter: BSONDocument { $0.append("_id", string: id) }, update: update, upsert: true)
            try bulk.execute().requireDurable("insert")
        }

        func join(_ service: String, _ account: String, _ role: ServiceRole, _ levels: Int) throws {
            let membership = Membership(
                service: service,
                account: account,
                role: role,
                levels: NotificationLevels(rawValue: levels)
            )
            let bulk = client.collection(database: database, name: "memberships").bulk()
            try bulk.insert(membership.document(now: now))
            try bulk.execute().requireDurable("join")
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try AccountsIndexes.ensure(client: client, database: database)
            try body(Rig(client: client, database: database))
        }
    }

    private static func service(_ rig: Rig, showing own: OwnService) throws -> String? {
        let key = try #require(own.key)
        return try rig.reader.services(showing: [try #require(ServiceKey(shown: key.reveal()))], secrets: secrets)[0]?
            .service.id
    }

    @Test func aServiceIsSeenByItsOwnerAndItsKeyIsKnown() throws {
        try Self.run { rig in
            let own = try rig.create("acc_a", [.all])
            #expect(own.service.updatedAt == Self.now)
            #expect(try Self.service(rig, showing: own) == own.service.id)
            let listed = try rig.store.owned(by: "acc_a")
            #expect(listed.map(\.service) == [own.service])
            #expect(listed.first?.key?.reveal() == own.key?.reveal())
            #expect(listed.first?.levels == .all)
            #expect(try rig.store.owned(by: "acc_b").isEmpty)
            let second = try rig.create("acc_a", now: Self.now + 1)
            #expect(try rig.store.owned(by: "acc_a").map(\.service.id) == [own.service.id, second.service.id])
            #expect(try AccountsIndexes.missing(client: rig.client, database: rig.database).isEmpty)
        }
    }

    /// Neither the key nor what it could be derived from is in the store.
    @Test func theStoreHoldsNoKey() throws {
        try Self.run { rig in
            let key = try #require(try rig.create().key).reveal()
            let document = try #require(
                try rig.client.collection(database: rig.database, name: "service_keys").findOne(.empty)
            )
            #expect(document["digest"]?.string == SecretDigest(of: key).hexadecimal)
            #expect(!"\(document)".contains(key))
        }
    }

    @Test func everyChangeHasALaterTimeWhateverTheClockSays() throws {
        try Self.run { rig in
            let own = try rig.create()
            var last = own.service.updatedAt
            for now in [Self.now, Self.now - 5000, Self.now + 7] {
                let change = ServiceChange(service: own.service.id, name: nil, levels: nil)
                let changed = try #require(try rig.store.change([change], by: "acc_a", now: now).first)
                #expect(changed.service.updatedAt > last)
                last = changed.service.updatedAt
                let renewed = try rig.store.newKey(own.service.id, by: "acc_a", now: now)
                #expect(renewed.service.updatedAt > last)
                last = renewed.service.updatedAt
            }
        }
    }

    @Test func nameAndLevelsChangeAndWhatIsNotSaidStays() throws {
        try Self.run { rig in
            let id = try rig.create("acc_a", .all).service.id
            let name = try #require(ServiceName("Night"))
            var change = ServiceChange(service: id, name: name, levels: nil)
            var changed = try #require(try rig.store.change([change], by: "acc_a", now: Self.now + 1).first)
            #expect((changed.service.name, changed.levels) == ("Night", .all))
            change = ServiceChange(service: id, name: nil, levels: NotificationLevels(rawValue: 5))
            changed = try #require(try rig.store.change([change], by: "acc_a", now: Self.now + 2).first)
            #expect((changed.service.name, changed.levels.rawValue) == ("Night", 5))
            #expect(try rig.store.owned(by: "acc_a").map(\.levels.rawValue) == [5])
        }
    }

    @Test func severalAreChangedTogetherOrNone() throws {
        try Self.run { rig in
            let ids = [try rig.create().service.id, try rig.create("acc_b").service.id]
            let name = try #require(ServiceName("Other"))
            let changes = ids.map { ServiceChange(service: $0, name: name, levels: nil) }
            #expect(throws: ServiceProblem.unknown) { try rig.store.change(changes, by: "acc_a", now: Self.now) }
            #expect(try rig.store.owned(by: "acc_a").map(\.service.name) == ["Backups"])
        }
    }

    @Test func aNewKeyIsTheOnlyOne() throws {
        try Self.run { rig in
            let first = try rig.create()
            // In the same millisecond as the one before.
            let second = try rig.store.newKey(first.service.id, by: "acc_a", now: Self.now)
            #expect(second.key?.reveal() != first.key?.reveal())
            #expect(try Self.service(rig, showing: first) == nil)
            #expect(try Self.service(rig, showing: second) == first.service.id)
            #expect(try rig.store.owned(by: "acc_a").first?.key?.reveal() == second.key?.reveal())
            #expect(throws: ServiceProblem.unknown) {
                try rig.store.newKey(first.service.id, by: "acc_b", now: Self.now)
            }
        }
    }

    /// Nothing of a key that was made counts before its service says so.
    @Test func aKeyThatWasNotFinishedIsNone() throws {
        try Self.run { rig in
            let own = try rig.create()
            let id = own.service.id
            let half = ServiceKey(service: id, createdAt: Self.now + 9, secret: Self.secrets.current.secret)
            let writer = BSONWriter()
            writer.append("service", string: id)
            writer.append("digest", string: half.digest.hexadecimal)
            writer.append("root", string: "r1")
            writer.append("created_at", date: Self.now + 9)
            let bulk = rig.client.collection(database: rig.database, name: "service_keys").bulk()
            try bulk.insert(writer)
            try bulk.execute().requireDurable("insert")
            #expect(try rig.reader.services(showing: [half], secrets: Self.secrets)[0] == nil)
            #expect(try Self.service(rig, showing: own) == id)
        }
    }

    /// Whoever has stolen a secret can derive the keys of it: they are dead when it was left out.
    @Test func aKeyOfASecretThatHasGoneIsDead() throws {
        try Self.run { rig in
            let own = try rig.create()
            let key = try #require(own.key)
            let next = ServiceKeySecrets.Root(id: "r2", secret: [UInt8](repeating: 2, count: 32))
            let exchanged = ServiceKeySecrets(current: next, former: Self.secrets.current)
            #expect(try rig.reader.services(showing: [key], secrets: exchanged)[0]?.service.id == own.service.id)
            let left = ServiceKeySecrets(current: next, former: nil)
            #expect(try rig.reader.services(showing: [key], secrets: left)[0] == nil)
            let store = ServiceStore(client: rig.client, database: rig.database, secrets: left)
            let listed = try #require(try store.owned(by: "acc_a").first)
            #expect(listed.key == nil)
            let renewed = try #require(try store.newKey(own.service.id, by: "acc_a", now: Self.now).key)
            #expect(try rig.reader.services(showing: [renewed], secrets: left)[0]?.service.id == own.service.id)
        }
    }

    @Test func whatIsDeletedIsGoneForEverybody() throws {
        try Self.run { rig in
            let name = try #require(ServiceName("Backups"))
            try rig.account("acc_a")
            let own = try rig.store.create(owner: "acc_a", name: name, levels: .all, now: Self.now)
            #expect(try rig.reader.audience(of: .error, in: own.service.id, now: Self.now)?.accounts == ["acc_a"])
            #expect(throws: ServiceProblem.unknown) {
                try rig.store.delete(own.service.id, by: "acc_b", now: Self.now)
            }
            try rig.store.delete(own.service.id, by: "acc_a", now: Self.now)
            #expect(try Self.service(rig, showing: own) == nil)
            #expect(try rig.store.owned(by: "acc_a").isEmpty)
            #expect(try rig.reader.audience(of: .error, in: own.service.id, now: Self.now) == nil)
            for collection in ["services", "memberships", "service_keys"] {
                let document = try rig.client.collection(database: rig.database, name: collection).findOne(.empty)
                #expect(document?["expires_at"]?.date == Self.now + ServiceStore.remains)
            }
            #expect(throws: ServiceProblem.unknown) {
                try rig.store.delete(own.service.id, by: "acc_a", now: Self.now)
            }
        }
    }

    @Test func everybodyIsToldAtTheirOwnLevels() throws {
        try Self.run { rig in
            let id = try rig.create("acc_a", NotificationLevels(rawValue: 4)).service.id
            try rig.join(id, "acc_b", .member, 3)
            try rig.join(id, "acc_c", .manager, 0)
            try rig.join(id, "acc_d", .member, 7)
            try rig.join(id, "acc_gone", .manager, 7)
            for account in ["acc_a", "acc_b", "acc_c"] { try rig.account(account) }
            try rig.account("acc_d", suspendedAt: Self.now)
            func told(_ level: NotificationLevel) throws -> [String]? {
                try rig.reader.audience(of: level, in: id, now: Self.now)?.accounts
            }
            #expect(try told(.info) == ["acc_b"])
            #expect(try told(.warning) == ["acc_b"])
            #expect(try told(.error) == ["acc_a"])
        }
    }

    /// Every action as nobody, stranger, member, manager and owner, and of a service that is not there.
    @Test(arguments: ServiceAction.allCases)
    func authoriseAnswersByTheTable(action: ServiceAction) throws {
        try Self.run { rig in
            let id = try rig.create("owner").service.id
            try rig.join(id, "member", .member, 7)
            try rig.join(id, "manager", .manager, 7)
            let people: [(account: String?, role: ServiceRole?)] = [
                (nil, nil), ("stranger", nil), ("member", .member), ("manager", .manager), ("owner", .owner),
            ]
            for (account, role) in people {
                func answer(_ service: String) -> ServicePermission? {
                    do throws(ServiceProblem) {
                        let (found, membership) = try rig.reader.authorise(account, action, service)
                        return found.id == service && membership.role == role ? .granted : nil
                    } catch {
                        return error == .unknown ? .unknown : error == .refused ? .refused : nil
                    }
                }
                #expect(answer(id) == ServicePermission.of(action, role: role))
                #expect(answer(ServiceDetails.newID()) == .unknown)
            }
        }
    }

    @Test func nobodyOwnsMoreThanAFixedNumber() throws {
        try Self.run { rig in
            let (services, memberships) = (
                rig.client.collection(database: rig.database, name: "services").bulk(),
                rig.client.collection(database: rig.database, name: "memberships").bulk()
            )
            for _ in 0..<ServiceStore.mostOwned {
                let service = ServiceDetails(id: ServiceDetails.newID(), name: "x", owner: "acc_a", now: Self.now)
                try services.insert(service.document())
                let owner = Membership(service: service.id, account: "acc_a", role: .owner, levels: .all)
                try memberships.insert(owner.document(now: Self.now))
            }
            try services.execute().requireDurable("insert")
            try memberships.execute().requireDurable("insert")
            #expect(throws: ServiceProblem.tooMany) { try rig.create("acc_a") }
            _ = try rig.create("acc_b")
            // What was deleted counts until it is erased.
            let id = try #require(try rig.store.owned(by: "acc_a").first).service.id
            try rig.store.delete(id, by: "acc_a", now: Self.now)
            #expect(throws: ServiceProblem.tooMany) { try rig.create("acc_a") }
            _ = try rig.create("acc_a", now: Self.now + ServiceStore.remains)
        }
    }

    @Test func ofSeveralThatAreMadeAtOnceNoneIsTooMany() throws {
        try Self.run { rig in
            let memberships = rig.client.collection(database: rig.database, name: "memberships").bulk()
            for _ in 0..<ServiceStore.mostOwned - 1 {
                let owner = Membership(service: ServiceDetails.newID(), account: "acc_a", role: .owner, levels: .all)
                try memberships.insert(owner.document(now: Self.now))
            }
            try memberships.execute().requireDurable("insert")
            let name = try #require(ServiceName("Backups"))
            try rig.account("acc_a")
            let (pool, database) = (try TestDatabase.pool, rig.database)
            // One thread each: as many processes of serve are at it.
            let done = DispatchGroup()
            for _ in 0..<12 {
                done.enter()
                Thread.detachNewThread {
                    defer { done.leave() }
                    guard let client = try? pool.pop() else { return }
                    defer { pool.push(client) }
                    let store = ServiceStore(client: client, database: database, secrets: Self.secrets)
                    _ = try? store.create(owner: "acc_a", name: name, levels: .all, now: Self.now)
                }
            }
            done.wait()
            #expect(try rig.store.owned(by: "acc_a").count <= 1)
        }
    }
}
