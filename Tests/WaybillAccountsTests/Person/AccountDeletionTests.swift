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
}
