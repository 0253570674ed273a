import Testing
import WaybillAudience
import WaybillNotifications

@testable import WaybillSchedule

/// Which of the audiences of a name is a notification's own.
@Suite struct AudienceMatchTests {
    private static let match = AudienceMatch(unnamed: "paper", ofServices: "notifire")

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        var client: String?
        var isOfService = false
        var digest: String?
        /// The audiences of its name, as client and digest.
        let found: [[String]]
        /// The digest of its own.
        let own: String?

        var testDescription: String { what }
    }

    static let cases: [Case] = [
        Case(what: "none", found: [], own: nil),
        Case(what: "its client is the schedule's", found: [["acme", "d1"], ["paper", "d2"]], own: "d2"),
        Case(what: "its client is its own", client: "acme", found: [["acme", "d1"], ["paper", "d2"]], own: "d1"),
        Case(what: "another client's alone", found: [["acme", "d1"]], own: nil),
        Case(what: "a service's", isOfService: true, found: [["notifire", "d1"], ["paper", "d2"]], own: "d1"),
        Case(
            what: "a service's, whatever client it names",
            client: "paper",
            isOfService: true,
            found: [["notifire", "d1"], ["paper", "d2"]],
            own: "d1"
        ),
        Case(what: "by its message", digest: "d2", found: [["paper", "d1"], ["paper", "d2"]], own: "d2"),
        Case(what: "by its message, of a client that it had", digest: "d1", found: [["acme", "d1"]], own: "d1"),
        Case(what: "another one of its client", digest: "d3", found: [["acme", "d1"], ["paper", "d2"]], own: "d2"),
        // Composed and decomposed are two clients.
        Case(what: "a client by its bytes", client: "caf\u{E9}", found: [["cafe\u{301}", "d1"]], own: nil),
    ]

    @Test("it is found by its message, then by its client", arguments: cases)
    func own(_ one: Case) throws {
        let followed = try FollowDecisionTests.followed(
            client: one.client,
            isOfService: one.isOfService,
            digest: one.digest
        )
        let found = one.found.map { FollowDecisionTests.audience(of: $0[0], digest: $0[1]) }
        #expect(Self.match.record(of: followed, among: found)?.digest == one.own)
    }

    @Test("where there are no services any more, one of any client is a service's")
    func withoutServices() throws {
        let followed = try FollowDecisionTests.followed(isOfService: true)
        let found = [FollowDecisionTests.audience(of: "notifire", digest: "d1")]
        #expect(AudienceMatch(unnamed: "paper", ofServices: nil).record(of: followed, among: found)?.digest == "d1")
    }
}
