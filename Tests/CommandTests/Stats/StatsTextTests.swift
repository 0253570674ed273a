import Testing
import WaybillCore
import WaybillDeliveryLog

@testable import waybill

struct StatsTextTests {
    private func row(_ minutes: Int64, _ value: String?, accepted: Int, rejected: Int = 0) -> StatisticsRow {
        var latency = [Int](repeating: 0, count: LatencyBuckets.count)
        latency[10] = accepted
        let outcomes = ["accepted": accepted, "rejected": rejected].filter { $0.value > 0 }
        return StatisticsRow(start: minutes * 60_000, value: value, outcomes: outcomes, latency: latency)
    }

    private func table(_ width: Int?) -> StatsTable {
        StatsTable(
            query: StatisticsQuery(since: 0, until: 600_000, step: 5, dimension: .pushType),
            width: width,
            palette: Palette(isColoured: false)
        )
    }

    @Test func aLineHasTheStepTheValueTheCountsAndABar() {
        let rows = [row(0, "alert", accepted: 800), row(5, nil, accepted: 99, rejected: 1)]
        let lines = table(120).lines(rows)
        #expect(lines[0].split(separator: " ").joined(separator: " ") == "TIME PUSH TYPE COUNT ACCEPTED P50 P95")
        #expect(lines[1].hasPrefix("1970-01-01 00:00  alert"))
        #expect(lines[1].hasSuffix(String(repeating: "█", count: 24)))
        #expect(lines[2].contains("99.0 %"))
        #expect(lines[2].hasSuffix("███"))
        #expect(lines.allSatisfy { Cell.width($0) <= 120 })
    }

    private func told(_ minutes: Int64, opened: Int) -> StatisticsRow {
        var row = row(minutes, "parcels", accepted: 100)
        var tally = ReceiptTally()
        tally.arrived = 90
        tally[.opened] = opened
        row.receipts = tally
        return row
    }

    @Test func whatDevicesHaveSaidHasItsColumns() {
        let rows = [told(0, opened: 21), told(5, opened: 0)]
        let lines = table(120).lines(rows).map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines[0] == "TIME PUSH TYPE COUNT ACCEPTED ARRIVED OPENED ACKED")
        #expect(lines[1].hasPrefix("1970-01-01 00:00 parcels 100 100 % 90 21 0"))
        for width in [40, 60, 80] {
            for line in table(width).lines(rows) { #expect(Cell.width(line) <= width) }
        }
        let csv = StatsCSV.lines(rows, dimension: .pushType)
        #expect(csv[0].hasSuffix(",latency_at_least,arrived,received,displayed,opened,acknowledged,dismissed"))
        #expect(csv[1].hasSuffix(",90,0,0,21,0,0"))
    }

    @Test(arguments: [40, 60, 80]) func aNarrowTerminalIsNotOverrun(width: Int) {
        let rows = (0..<5).map {
            row(Int64($0), "com.example.parcels.of-a-long-name", accepted: $0 * 1000, rejected: 7)
        }
        for line in table(width).lines(rows) { #expect(Cell.width(line) <= width) }
    }

    @Test func whatIsNoTerminalHasNoBar() {
        #expect(table(nil).lines([row(0, "alert", accepted: 8)]).last?.contains("█") == false)
    }

    @Test(arguments: [
        (0, ""), (1, "▏"), (100, String(repeating: "█", count: 24)), (50, String(repeating: "█", count: 12)),
    ])
    func aBarIsAsLongAsItsPart(count: Int, bar: String) {
        #expect(StatsTable.bar(count, of: 100) == bar)
    }

    @Test func aLatencyAboveAllClassesIsSaidToBeLonger() {
        var latency = [Int](repeating: 0, count: LatencyBuckets.count)
        latency[10] = 9
        latency[LatencyBuckets.count - 1] = 1
        let row = StatisticsRow(start: 0, value: nil, outcomes: ["accepted": 10], latency: latency)
        #expect(table(nil).lines([row]).last?.contains("over 16 s") == true)
        let csv = StatsCSV.lines([row], dimension: nil)
        #expect(csv[0].hasSuffix(",latency_ms_p50_interpolated,latency_ms_p95_interpolated,latency_at_least"))
        #expect(csv[1].hasSuffix(",16384,p95"))
    }

    @Test func csvHasTheHeadingAndARowForEach() {
        let lines = StatsCSV.lines([row(5, "=cmd", accepted: 3, rejected: 1)], dimension: .client)
        #expect(lines[0].hasPrefix("time,client,count,accepted,rejected,"))
        #expect(lines[0].contains(",cancelled,superseded,latency_ms_p50_interpolated"))
        // What producers write must stay text in the program that opens the file.
        #expect(lines[1].hasPrefix("1970-01-01T00:05:00.000Z,'=cmd,4,3,1,"))
        #expect(
            lines[0].split(separator: ",").count
                == lines[1].split(separator: ",", omittingEmptySubsequences: false).count
        )
    }

    @Test(arguments: [("1m", 1), ("5m", 5), ("2h", 120), ("1d", 1440), ("1w", 10_080)])
    func aStepIsAWholeNumberOfMinutes(text: String, minutes: Int64) throws {
        #expect(try StatsCommand.step(text) == minutes)
    }
}
