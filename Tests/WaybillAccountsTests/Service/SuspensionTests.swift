import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// Whom a service tells while an account is suspended, against a real mongod.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct SuspensionTests {
    private let now = AccountRig.now

    @Test func aSuspendedOwnersServiceTellsNobody() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let store = ServiceStore(client: rig.client, database: rig.database, secrets: rig.rules.keys.serviceKeys)
            let name = try #require(ServiceName("Build"))
            let made = try store.create(owner: ada.id, name: name, levels: .all, now: now)
            let service = made.service.id
            let member = Membership(service: service, account: eve.id, role: .member, levels: .all)
            let bulk = rig.client.collection(database: rig.database, name: "memberships").bulk()
            try bulk.insert(member.document(now: now))
            try bulk.execute().requireDurable("insert")
            let reader = ServiceReader(client: rig.client, database: rig.database)
            let suspension = Suspension(client: rig.client, database: rig.database)
            func told() throws -> Set<String>? {
                try reader.audience(of: .error, in: service, now: AccountRig.now).map { Set($0.accounts) }
            }

            #expect(try told() == [ada.id, eve.id])
            _ = try suspension.suspend(eve.id, now: now)
            #expect(try told() == [ada.id])
            _ = try suspension.suspend(ada.id, now: now)
            #expect(try told() == nil)
            _ = try suspension.resume(eve.id)
            #expect(try told() == nil)
            _ = try suspension.resume(ada.id)
            #expect(try told() == [ada.id, eve.id])
        }
    }
}
