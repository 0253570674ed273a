import Testing
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport

@testable import WaybillOperations

@Suite("What of a batch waits for processes that do not run")
struct UnservedBatchTests {
    private static let released = FuseOverview(
        fuse: .sample(.released, .sample(at: 0, since: 0), decision: FuseDecision(name: "anna", date: 0)),
        held: 7
    )
    private static let schedule = "No waybill schedule runs; critical notifications wait to be sent again: 2."
    private static let fanout =
        "No waybill fanout runs; audience messages wait: 3; if it is an audience, it may be among them."
    private static let prune =
        "No waybill prune runs; lane parcels: events of com.example.app that were released 3 min ago by anna wait to be carried out: 7."

    @Test(
        arguments: [
            (2, true, 0, [], [schedule, prune]), (2, true, 0, ["schedule"], [prune]),
            (2, true, 0, ["prune"], [schedule]), (0, false, 0, [], []), (2, true, 0, ["prune", "schedule"], []),
            (2, true, 3, nil, []), (0, false, 3, [], [fanout]), (0, false, 3, ["fanout"], []),
        ] as [(Int, Bool, Int, Set<String>?, [String])]
    )
    func told(repeated: Int, isReleased: Bool, audiences: Int, running: Set<String>?, sentences: [String]) {
        let unserved = UnservedBatch(
            repeated: repeated,
            released: isReleased ? [Self.released] : [],
            audiences: audiences,
            running: running,
            now: 180_000
        )
        let found = unserved.obstacles(.operators)
        #expect(found.map(\.text) == sentences)
        #expect(found.allSatisfy { $0.remedy?.hasPrefix("Start ") == true })
        #expect(unserved.keepsRepeats == sentences.contains(Self.schedule))
        // Whoever has a key for some clients starts nothing.
        let clients = unserved.obstacles(.client([]))
        #expect(clients.count == sentences.count && !clients.contains { $0.text.contains("waybill") })
    }

    /// What is in the store waits for the same process as repeats do, and is said as `status` says it, with the batch's own number.
    @Test(
        arguments: [(1, [], true), (1, ["schedule"], false), (0, [], false), (1, nil, false)]
            as [(Int, Set<String>?, Bool)]
    )
    func inTheStore(notifications: Int, running: Set<String>?, isTold: Bool) {
        let unserved = UnservedBatch(
            repeated: 0,
            released: [],
            audiences: 0,
            notifications: notifications,
            running: running,
            now: 0
        )
        let told = "No waybill schedule runs; notifications of it in the store are under way or new: 1."
        #expect(unserved.obstacles(.operators).map(\.text) == (isTold ? [told] : []))
        #expect(unserved.obstacles(.operators).allSatisfy { $0.remedy?.hasPrefix("Start waybill schedule: ") == true })
        #expect(unserved.obstacles(.client([])).count == (isTold ? 1 : 0))
    }
}
