import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAccounts

/// What somebody is invited to by mail, found by their address among everybody's invitations.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct OwnInvitationsTests {
    private let now = AccountRig.now
    private let limits = Invitations.Limits(members: 100, invitations: 200)

    private func service(_ rig: AccountRig, owner: Account) throws -> String {
        let name = try #require(ServiceName("Build"))
        return try ServiceStore(client: rig.client, database: rig.database, secrets: rig.rules.keys.serviceKeys)
            .create(owner: owner.id, name: name, levels: .all, now: now).service.id
    }

    private func invite(_ email: String?, to service: String, by account: Account, _ rig: AccountRig) throws
        -> (id: String, secret: InvitationSecret)
    {
        let made = try Invitations(client: rig.client, database: rig.database, limits: limits).create(
            to: service,
            as: .member,
            email: try email.map { try #require(EmailAddress($0)) },
            by: account.id,
            now: now
        )
        return (made.invitation.id, made.secret)
    }

    private func got(_ email: String, _ rig: AccountRig) throws -> [(invitation: Invitation, service: ServiceDetails)] {
        try OwnInvitations(client: rig.client, database: rig.database)
            .got(at: #require(EmailAddress(email)), now: now)
    }

    /// As a former version has written it.
    private func takeKey(of invitation: String, _ rig: AccountRig) throws {
        let filter = BSONDocument { $0.append("_id", string: invitation) }
        let update = BSONDocument { $0.append("$unset") { $0.append("email_key", int: 1) } }
        let invitations = rig.client.collection(database: rig.database, name: "invitations")
        let former = try #require(try invitations.findOneAndUpdate(filter, update: update))
        #expect(former["email"] != nil && former["email_key"] == nil)
    }

    @Test func capitalsAndFormerVersionsMakeNoDifference() throws {
        try AccountRig.run { rig in
            let ada = try rig.confirmed()
            let service = try service(rig, owner: ada)
            var own: Set<String> = []
            for email in ["eve@example.com", "EVE@example.com", "Eve@Example.com"] {
                own.insert(try invite(email, to: service, by: ada, rig).id)
            }
            let former = try invite("eVe@example.com", to: service, by: ada, rig).id
            let others = try invite("mallory@example.com", to: service, by: ada, rig).id
            for id in [former, others] { try takeKey(of: id, rig) }
            _ = try invite(nil, to: service, by: ada, rig)
            let found = try got("eve@EXAMPLE.com", rig)
            #expect(Set(found.map(\.invitation.id)) == own.union([former]))
            #expect(found.allSatisfy { $0.service.id == service })
        }
    }

    /// Whoever may not invite any more has not invited anybody.
    @Test func onlyThoseAreThereWhoseMakersMayInvite() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let (own, shared) = (try service(rig, owner: ada), try service(rig, owner: ada))
            let members = ServiceMembers(client: rig.client, database: rig.database)
            _ = try members.join(shared, eve.id, as: .manager, most: 10, now: now)
            let kept = try invite("bob@example.com", to: own, by: ada, rig).id
            let ofEve = try invite("bob@example.com", to: shared, by: eve, rig).id
            #expect(Set(try got("bob@example.com", rig).map(\.invitation.id)) == [kept, ofEve])
            _ = try members.change(.member, of: eve.id, in: shared, by: ada.id, now: now)
            #expect(try got("bob@example.com", rig).map(\.invitation.id) == [kept])
            try ServiceStore(client: rig.client, database: rig.database, secrets: rig.rules.keys.serviceKeys)
                .delete(own, by: ada.id, now: now)
            #expect(try got("bob@example.com", rig).isEmpty)
        }
    }

    /// Whose address it was is nobody's business when it was answered.
    @Test func oneThatWasAnsweredHasNoAddress() throws {
        try AccountRig.run { rig in
            let (ada, eve) = (try rig.confirmed(), try rig.confirmed("eve.e", "eve@example.com"))
            let service = try service(rig, owner: ada)
            let secret = try invite("eve@example.com", to: service, by: ada, rig).secret
            try Invitations(client: rig.client, database: rig.database, limits: limits)
                .decline(secret, by: eve.id, now: now)
            #expect(try got("eve@example.com", rig).isEmpty)
            for left in try rig.client.collection(database: rig.database, name: "invitations").find(.empty).all() {
                #expect(!String(decoding: left.bytes, as: UTF8.self).lowercased().contains("eve@"))
            }
        }
    }

    /// However many others are invited, and by however many services: by the server's own profiler.
    @Test func othersCostNothing() throws {
        try AccountRig.run { rig in
            let ada = try rig.confirmed()
            let services = try (0..<4).map { _ in try service(rig, owner: ada) }
            for (number, service) in (0..<24).flatMap({ number in services.map { (number, $0) } }) {
                _ = try invite(number < 12 ? "bob\(number)@example.com" : nil, to: service, by: ada, rig)
            }
            func profile(_ level: Int) throws {
                _ = try rig.client.command(database: rig.database, BSONDocument { $0.append("profile", int: level) })
            }
            try profile(2)
            #expect(try got("bob7@example.com", rig).count == 4)
            try profile(0)
            let steps = try rig.client.collection(database: rig.database, name: "system.profile").find(.empty).all()
                .filter { $0["ns"]?.string != "\(rig.database).system.profile" && $0["op"]?.string == "query" }
            #expect(steps.count == 3)
            for step in steps {
                #expect((step["docsExamined"]?.int ?? .max) <= 4, "\(step["ns"]?.string ?? ""): \(step)")
            }
        }
    }
}
