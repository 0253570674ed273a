import Foundation
import Testing
import WaybillFleet
import WaybillMongo
import WaybillOperations

@Suite("The state as JSON")
struct StatusJSONTests {
    private static let now: Int64 = 1_700_000_000_000

    @Test(
        "a process that should have been heard of is marked, unless it has ended",
        arguments: [(8, false, false), (9, false, true), (9, true, false)]
    )
    func silentProcess(secondsAgo: Int64, isEnded: Bool, isSilent: Bool) throws {
        let lease = Lease(
            role: "dispatch",
            host: "push-1",
            process: 7,
            version: "1.0.0",
            started: Self.now - 7_200_000,
            seen: Self.now - secondsAgo * 1000,
            isEnded: isEnded,
            status: Array("{}".utf8)
        )
        let state = InstallationState(
            broker: .success(InstallationState.Broker()),
            store: .success(InstallationState.Store(deployment: .single, records: 0, nextExpiry: nil)),
            leases: [lease],
            now: Self.now
        )
        let text = StatusJSON.text(of: state)
        let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let process = try #require((json["processes"] as? [[String: Any]])?.first)
        #expect((process["silent"] as? Bool ?? false) == isSilent)
        #expect((process["ended"] as? Bool ?? false) == isEnded)
    }
}
