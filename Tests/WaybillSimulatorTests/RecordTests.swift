import Glibc
import Testing
import WaybillSimulator
import WaybillThreads

@Suite struct RecordTests {
    @Test func statisticsReadWell() {
        var statistics = SimulatorStatistics()
        statistics.requests = 3
        statistics.answers = [.init(status: 410, reason: "Unregistered"): 1, .init(status: 200): 2]
        statistics.faults = ["silence": 4]
        statistics.streamLimitViolations = 5
        #expect(
            statistics.description == """
                3 requests on 0 connections
                  200: 2
                  410 Unregistered: 1
                  silence: 4
                  stream limit violations: 5
                """
        )
        #expect(statistics.count(status: 410, reason: "Unregistered") == 1)
        #expect(statistics.count(status: 410) == 0)
    }

    @Test func aRecordFileThatCannotBeMadeIsAnError() {
        let error = #expect(throws: SimulatorError.self) { _ = try RecordFile(path: "/nowhere/at/all") }
        #expect(error?.description.contains("/nowhere/at/all") == true)
    }
}
