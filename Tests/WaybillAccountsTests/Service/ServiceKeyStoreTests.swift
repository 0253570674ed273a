import Foundation
import Synchronization
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Keys that are shown once; against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct ServiceKeyStoreTests {
    private static let now = AccountRig.now
    private static let day: Int64 = 86_400_000

    private struct Rig {
        let accounts: AccountRig
        let owner: String
        let service: String
        var store: ServiceKeyStore {
            ServiceKeyStore(client: accounts.client, database: accounts.database, most: 4)
        }
        var reader: ServiceKeyReader { ServiceKeyReader(client: accounts.client, database: accounts.database) }
        var notices: ServiceKeyNotices { ServiceKeyNotices(client: accounts.client, database: accounts.database) }

        func create(_ kind: KeySecret.Mode = .live, endsAt: Int64? = nil) throws -> NewServiceKey {
            let name = try #require(ServiceName("nightly"))
            let request = ServiceKeyRequest(name: name, kind: kind, scopes: [.notify, .read], endsAt: endsAt)
            return try store.create(request, for: service, by: owner, now: now)
        }

        func state(_ key: NewServiceKey, now: Int64) throws -> AccessKey.State? {
            try reader.keys(of: service).first { $0.id == key.key.id }?.state(now: now)
        }
    }

    private static func run(_ body: (Rig) throws -> Void) throws {
        try AccountRig.run { accounts in
            let owner = try accounts.confirmed().id
            let services = ServiceStore(
                client: accounts.client,
                database: accounts.database,
                secrets: accounts.rules.keys.serviceKeys
            )
            let name = try #require(ServiceName("Backups"))
            let made = try services.create(owner: owner, name: name, levels: .all, now: now)
            try body(Rig(accounts: accounts, owner: owner, service: made.service.id))
        }
    }

    /// Else nothing would ever erase it.
    @Test func aKeyThatIsMadeWhileItsServiceEndsGoesWithIt() throws {
        try Self.run { rig in
            let (client, database) = (rig.accounts.client, rig.accounts.database)
            let services = ServiceStore(
                client: client,
                database: database,
                secrets: rig.accounts.rules.keys.serviceKeys
            )
            try services.delete(rig.service, by: rig.owner, now: Self.now)
            let name = try #require(ServiceName("nightly"))
            let request = ServiceKeyRequest(name: name, kind: .live, scopes: [.notify], endsAt: nil)
            // It was looked whether they may before the service ended.
            #expect(throws: ServiceKeyProblem.service(.unknown)) {
                _ = try rig.store.insert(request, rig.service, rig.owner, Self.now)
            }
            let keys = try client.collection(database: database, name: "service_keys").find(.empty).all()
            #expect(keys.count == 2)
            for key in keys { #expect(key["expires_at"]?.date != nil) }
        }
    }

    @Test func aKeyIsKnownByItsDigestAlone() throws {
        try Self.run { rig in
            let made = try rig.create(.test)
            #expect(made.secret.reveal().hasPrefix("wbk_test_"))
            let grant = try #require(try rig.reader.grant(shown: made.secret, now: Self.now))
            #expect(grant.service.id == rig.service)
            #expect(grant.kind == .test)
            #expect(grant.scopes == [.notify, .read])
            #expect(grant.isActive)
            let collection = rig.accounts.client.collection(database: rig.accounts.database, name: "service_keys")
            let documents = try collection.find(.empty).all()
            for document in documents {
                #expect(!String(decoding: document.bytes, as: UTF8.self).contains(made.secret.reveal()))
            }
            // A key that nobody has made has the right form, too.
            #expect(try rig.reader.grant(shown: .generate(mode: .live), now: Self.now) == nil)
            // The thesis' key is as it was, and is not one of these.
            #expect(try rig.reader.keys(of: rig.service).map(\.id) == [made.key.id])
        }
    }

    @Test func theThesisKeyAndTheseKnowNothingOfEachOther() throws {
        try Self.run { rig in
            let secrets = rig.accounts.rules.keys.serviceKeys
            let (client, database) = (rig.accounts.client, rig.accounts.database)
            let services = ServiceStore(client: client, database: database, secrets: secrets)
            let made = try rig.create()
            // In the same millisecond as the service's own, and before its next one.
            #expect(try services.owned(by: rig.owner).first?.key != nil)
            let renewed = try services.newKey(rig.service, by: rig.owner, now: Self.now + 5)
            #expect(renewed.key != nil)
            #expect(try rig.reader.grant(shown: made.secret, now: Self.now + 40 * Self.day) != nil)
            let document = try client.collection(database: database, name: "service_keys").findOne(
                BSONDocument { $0.append("_id", string: made.key.id) }
            )
            #expect(document?["expires_at"] == nil)
            try services.delete(rig.service, by: rig.owner, now: Self.now + 6)
            #expect(try rig.reader.grant(shown: made.secret, now: Self.now + 6) == nil)
        }
    }

    @Test(arguments: KeyOverlap.allCases)
    func aRotatedKeyHoldsForTheOverlap(overlap: KeyOverlap) throws {
        try Self.run { rig in
            let old = try rig.create(endsAt: Self.now + 90 * Self.day)
            let later = Self.now + 60_000
            let new = try rig.store.rotate(
                old.key.id,
                of: rig.service,
                overlap: overlap,
                isForced: false,
                by: rig.owner,
                now: later
            )
            let end = later + overlap.milliseconds
            #expect(new.oldEnds == end)
            #expect(new.key.endsAt == later + 90 * Self.day)
            #expect(try (rig.reader.grant(shown: old.secret, now: max(later, end - 1)) != nil) == (overlap != .none))
            #expect(try rig.reader.grant(shown: old.secret, now: end) == nil)
            #expect(try rig.reader.grant(shown: new.secret, now: end)?.scopes == [.notify, .read])
            guard overlap != .none else { return }
            // The old one and the new one are in the middle of it.
            for key in [old, new] {
                #expect(throws: ServiceKeyProblem.rotating(until: end)) {
                    _ = try rig.store.rotate(
                        key.key.id,
                        of: rig.service,
                        overlap: .day,
                        isForced: false,
                        by: rig.owner,
                        now: later + 1
                    )
                }
            }
            _ = try rig.store.rotate(
                new.key.id,
                of: rig.service,
                overlap: .none,
                isForced: true,
                by: rig.owner,
                now: later + 1
            )
            #expect(try rig.reader.grant(shown: new.secret, now: later + 1) == nil)
        }
    }

    /// A forced rotation makes a key that lasts as long as the old one was made for, and counts against the limit.
    @Test func aForcedRotationHasAnEndAndALimit() throws {
        try Self.run { rig in
            let old = try rig.create(endsAt: Self.now + 90 * Self.day)
            func force(_ day: Int64) throws -> NewServiceKey {
                try rig.store.rotate(
                    old.key.id,
                    of: rig.service,
                    overlap: .week,
                    isForced: day > 0,
                    by: rig.owner,
                    now: Self.now + day * Self.day
                )
            }
            for day in 0...2 as ClosedRange<Int64> {
                #expect(try force(day).key.endsAt == Self.now + (90 + day) * Self.day)
            }
            #expect(throws: ServiceKeyProblem.tooMany(4)) { _ = try force(3) }
            #expect(try rig.reader.keys(of: rig.service).filter { $0.isGood(now: Self.now + 3 * Self.day) }.count == 4)
        }
    }

    /// As many as there may be are rotated all the same: each old one ends.
    @Test func aFullServiceRotates() throws {
        try Self.run { rig in
            let keys = try (0..<4).map { _ in try rig.create() }
            for (key, isForced) in zip(keys, [false, true, false, true]) {
                _ = try rig.store.rotate(
                    key.key.id,
                    of: rig.service,
                    overlap: .day,
                    isForced: isForced,
                    by: rig.owner,
                    now: Self.now + 1
                )
            }
            #expect(try rig.reader.keys(of: rig.service).filter { $0.isGood(now: Self.now + 2 * Self.day) }.count == 4)
        }
    }

    /// The thesis' key is told of, and ends like the others; nobody reads it here.
    @Test func theKeyThatCanBeReadAgainEnds() throws {
        try Self.run { rig in
            let secrets = rig.accounts.rules.keys.serviceKeys
            func derived() throws -> Int64? { try rig.store.derived(rig.service, by: rig.owner, secrets: secrets) }
            func end(isForced: Bool) throws {
                try rig.store.revoke(
                    ServiceKeyStore.derivedID,
                    of: rig.service,
                    isForced: isForced,
                    by: rig.owner,
                    now: Self.now
                )
            }
            let services = ServiceStore(client: rig.accounts.client, database: rig.accounts.database, secrets: secrets)
            let key = try #require(try services.owned(by: rig.owner).first?.key)
            let reader = ServiceReader(client: rig.accounts.client, database: rig.accounts.database)
            #expect(try derived() == Self.now)
            #expect(throws: ServiceKeyProblem.last) { try end(isForced: false) }
            #expect(try reader.services(showing: [key], secrets: secrets)[0] != nil)
            _ = try rig.create()
            try end(isForced: false)
            #expect(try reader.services(showing: [key], secrets: secrets)[0] == nil)
            #expect(try derived() == nil)
            #expect(try services.owned(by: rig.owner).first.map { $0.key == nil } == true)
            // A new one is another one.
            let new = try #require(try services.newKey(rig.service, by: rig.owner, now: Self.now).key)
            #expect(new.reveal() != key.reveal())
            #expect(try reader.services(showing: [new], secrets: secrets)[0]?.service.id == rig.service)
            #expect(try derived() != nil)
        }
    }

    /// Who comes too late leaves no key behind that nobody was shown.
    @Test func ofRotationsAtOnceOneCounts() throws {
        try Self.run { rig in
            let id = try rig.create().key.id
            let (service, owner, database) = (rig.service, rig.owner, rig.accounts.database)
            let pool = try TestDatabase.pool
            let made = Mutex<[String]>([])
            let (queue, group) = (DispatchQueue(label: "rotate", attributes: .concurrent), DispatchGroup())
            for _ in 0..<8 {
                queue.async(group: group) {
                    guard let client = try? pool.pop() else { return }
                    defer { pool.push(client) }
                    let new = try? ServiceKeyStore(client: client, database: database, most: 4).rotate(
                        id,
                        of: service,
                        overlap: .day,
                        isForced: false,
                        by: owner,
                        now: Self.now
                    )
                    if let new { made.withLock { $0.append(new.key.id) } }
                }
            }
            group.wait()
            let shown = made.withLock { $0 }
            #expect(shown.count == 1)
            let listed = try rig.reader.keys(of: service)
            #expect(Set(listed.map(\.id)) == Set(shown + [id]))
            #expect(listed.allSatisfy { $0.revokedAt == nil })
        }
    }

    /// Several who end all keys at once leave one live key, and are told of it.
    @Test func ofLiveKeysThatAreEndedAtOnceOneIsLeft() throws {
        try Self.run { rig in
            let (service, owner, database) = (rig.service, rig.owner, rig.accounts.database)
            let pool = try TestDatabase.pool
            for round in 0..<12 {
                let count = round % 3 + 2
                var ids = try rig.reader.keys(of: service).filter { $0.isGood(now: Self.now) }.map(\.id)
                while ids.count < count { ids.append(try rig.create().key.id) }
                let refused = Mutex(0)
                let (queue, group) = (DispatchQueue(label: "end", attributes: .concurrent), DispatchGroup())
                for id in ids {
                    queue.async(group: group) {
                        guard let client = try? pool.pop() else { return }
                        defer { pool.push(client) }
                        let store = ServiceKeyStore(client: client, database: database, most: 4)
                        do throws(ServiceKeyProblem) {
                            try store.revoke(id, of: service, isForced: false, by: owner, now: Self.now)
                        } catch {
                            if error == .last { refused.withLock { $0 += 1 } }
                        }
                    }
                }
                group.wait()
                #expect(refused.withLock { $0 } == 1)
                #expect(try rig.reader.keys(of: service).count { $0.isGood(now: Self.now) } == 1)
            }
        }
    }

    @Test func theLastLiveKeyEndsByForceAlone() throws {
        try Self.run { rig in
            let (first, second, test) = (try rig.create(), try rig.create(), try rig.create(.test))
            func revoke(_ key: NewServiceKey, _ isForced: Bool = false) throws {
                try rig.store.revoke(key.key.id, of: rig.service, isForced: isForced, by: rig.owner, now: Self.now)
            }
            try revoke(first)
            // Another time changes nothing.
            try revoke(first)
            #expect(throws: ServiceKeyProblem.last) { try revoke(second) }
            try revoke(test)
            try revoke(second, true)
            #expect(try rig.reader.grant(shown: second.secret, now: Self.now) == nil)
            #expect(throws: ServiceKeyProblem.ended) {
                _ = try rig.store.rotate(
                    second.key.id,
                    of: rig.service,
                    overlap: .day,
                    isForced: true,
                    by: rig.owner,
                    now: Self.now
                )
            }
        }
    }

    @Test func keysAreBoundedAndBelongToTheirService() throws {
        try Self.run { rig in
            let keys = try (0..<4).map { _ in try rig.create() }
            #expect(throws: ServiceKeyProblem.tooMany(4)) { _ = try rig.create() }
            #expect(try rig.reader.keys(of: rig.service).filter { $0.isGood(now: Self.now) }.count == 4)
            for stranger in ["acc_stranger", ""] {
                #expect(throws: ServiceKeyProblem.service(.unknown)) {
                    _ = try rig.store.list(rig.service, by: stranger)
                }
                #expect(throws: ServiceKeyProblem.service(.unknown)) {
                    try rig.store.revoke(keys[0].key.id, of: rig.service, isForced: true, by: stranger, now: Self.now)
                }
            }
            // Another service of the same owner has no such key.
            let services = ServiceStore(
                client: rig.accounts.client,
                database: rig.accounts.database,
                secrets: rig.accounts.rules.keys.serviceKeys
            )
            let name = try #require(ServiceName("Other"))
            let other = try services.create(owner: rig.owner, name: name, levels: .all, now: Self.now)
            #expect(throws: ServiceKeyProblem.notFound) {
                try rig.store.revoke(
                    keys[0].key.id,
                    of: other.service.id,
                    isForced: true,
                    by: rig.owner,
                    now: Self.now
                )
            }
        }
    }

    @Test func useIsNotedOnceAMinute() throws {
        try Self.run { rig in
            let key = try rig.create().key.id
            for (after, network) in [(0, "192.0.2/24"), (59_000, "198.51.100/24"), (61_000, "203.0.113/24")] {
                try rig.store.noteUse(of: key, from: network, now: Self.now + Int64(after))
                let noted = try #require(try rig.reader.keys(of: rig.service).first)
                #expect(noted.lastUsedAt == Self.now + (after < 60_000 ? 0 : 61_000))
                #expect(noted.lastUsedFrom == (after < 60_000 ? "192.0.2/24" : network))
            }
        }
    }

    @Test func thirtyTenAndOneDaysBeforeItsEndPeopleHear() throws {
        try Self.run { rig in
            let end = Self.now + 40 * Self.day
            let key = try rig.create(endsAt: end)
            _ = try rig.create(endsAt: Self.now + Self.day / 2)
            _ = try rig.create()
            var heard: [Int64] = []
            for day in 0...45 {
                let now = Self.now + Int64(day) * Self.day + 1000
                for due in try rig.notices.due(limit: 10, now: now) {
                    #expect(due.id == key.key.id)
                    if let notice = try rig.notices.notice(of: due, now: now) {
                        #expect(notice.people.map(\.id) == [rig.owner])
                        heard.append(notice.days)
                    }
                    try rig.notices.settle(due, now: now)
                }
            }
            #expect(heard == [30, 10, 1])
        }
    }

    /// What is replaced or revoked ends as somebody wanted it to.
    @Test func nobodyHearsOfWhatTheyEndedThemselves() throws {
        try Self.run { rig in
            let end = Self.now + 40 * Self.day
            let (replaced, revoked) = (try rig.create(endsAt: end), try rig.create(endsAt: end))
            let new = try rig.store.rotate(
                replaced.key.id,
                of: rig.service,
                overlap: .week,
                isForced: false,
                by: rig.owner,
                now: Self.now
            )
            try rig.store.revoke(revoked.key.id, of: rig.service, isForced: false, by: rig.owner, now: Self.now)
            let now = end - Self.day / 2
            let told = try rig.notices.due(limit: 10, now: now).filter {
                try rig.notices.notice(of: $0, now: now) != nil
            }
            #expect(told.map(\.id) == [new.key.id])
        }
    }
}
