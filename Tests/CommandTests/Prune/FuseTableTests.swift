import Testing
import WaybillDeviceRegistry
import WaybillOperations

@testable import waybill

@Suite("Fuses as a table, and in a sentence") struct FuseTableTests {
    private let overview = FuseOverview(
        fuse: Fuse(
            name: FuseName(lane: "parcels", app: "com.example.app"),
            state: .blown,
            cause: Fuse.Cause(
                at: 120_000,
                since: 60_000,
                answers: 30,
                invalid: 24,
                limit: 200,
                usual: nil,
                reason: "BadDeviceToken",
                words: "this looks like a test"
            )
        ),
        held: 200
    )

    @Test("each count says of which moment it is")
    func moments() {
        let lines = FuseTable(width: nil).lines([overview])
        #expect(lines.first?.contains("HELD NOW") == true)
        #expect(lines.first?.contains("DEAD WHEN BLOWN") == true)
        #expect(lines.last?.contains("24 of 30") == true)
        #expect(
            FuseText.finding(overview)
                == "prune: lane parcels: 24 of 30 answers (80 %) called the token dead or wrong (BadDeviceToken) when the fuse blew: "
                + "this looks like a test; events of com.example.app that are held now: 200"
        )
    }
}
