import Testing
import WaybillAudience
import WaybillMessages
import WaybillMongo
import WaybillNotifications

@testable import WaybillSchedule

/// A notification and the audiences of its name: which is its own, and what is done about it.
@Suite struct FollowDecisionTests {
    static func followed(
        client: String? = nil,
        isOfService: Bool = false,
        isCancelled: Bool = false,
        isHeld: Bool = false,
        digest: String? = nil
    ) throws -> PostedStore.Followed {
        PostedStore.Followed(
            id: try #require(BSONDocument { $0.append("_id", string: "n") }.identifier("_id")),
            audience: "n",
            client: client,
            isOfService: isOfService,
            begins: 0,
            isCancelled: isCancelled,
            isHeld: isHeld,
            digest: digest
        )
    }

    static func audience(
        of client: String = "paper",
        digest: String = "d1",
        state: AudienceRecord.State = .expanding,
        isHeld: Bool = false
    ) -> AudienceRecord {
        let message = AudienceMessage(
            id: "n",
            client: client,
            content: Array(#""message":"x""#.utf8),
            selection: AudienceSelection(app: "a", kind: .users(["anna"]))
        )
        var record = AudienceRecord(message, createdAt: 0, digest: digest)
        record.state = state
        record.isHeld = isHeld
        return record
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        var isCancelled = false
        var isHeld = false
        var digest: String? = "d1"
        var state = AudienceRecord.State.expanding
        var rests = false
        let decision: FollowDecision

        var testDescription: String { what }
    }

    private static let foreign = FollowDecision.fail(reason: "another audience has the name n")

    static let cases: [Case] = [
        Case(what: "under way", decision: .look),
        Case(what: "of a release that wrote no digest", digest: nil, decision: .look),
        Case(what: "another one has the name", digest: "d2", decision: foreign),
        Case(what: "another one has the name, and it is cancelled", isCancelled: true, digest: "d2", decision: foreign),
        Case(what: "paused", isHeld: true, decision: .hold),
        Case(what: "paused, and at rest", isHeld: true, rests: true, decision: .look),
        Case(what: "goes on", rests: true, decision: .goOn),
        Case(what: "cancelled", isCancelled: true, decision: .cancel),
        Case(what: "cancelled while it waits", isCancelled: true, state: .waiting, decision: .cancel),
        Case(what: "cancelled while it is paused", isCancelled: true, isHeld: true, decision: .cancel),
        Case(what: "cancelled at rest", isCancelled: true, isHeld: true, rests: true, decision: .cancel),
        Case(what: "cancelled after its end", isCancelled: true, state: .done, decision: .look),
        Case(what: "paused after its end", isHeld: true, state: .cancelled, decision: .look),
        Case(what: "at rest at its end", state: .failed, rests: true, decision: .look),
    ]

    @Test("what its document says is done about its audience", arguments: cases)
    func decision(_ one: Case) throws {
        let followed = try Self.followed(isCancelled: one.isCancelled, isHeld: one.isHeld, digest: one.digest)
        let audience = Self.audience(state: one.state, isHeld: one.rests)
        #expect(FollowDecision.make(followed, audience) == one.decision)
    }
}
