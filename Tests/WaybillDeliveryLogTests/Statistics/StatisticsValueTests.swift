import Testing
import WaybillCore

@testable import WaybillDeliveryLog

struct StatisticsValueTests {
    @Test(arguments: [
        (0, 0), (0.999, 0), (1, 1), (1.5, 1), (2, 2), (23.999, 8), (24, 9), (511, 17), (512, 18), (16_383, 22),
        (16_384, 23), (1e9, 23),
    ]) func aLatencyHasItsClass(latency: Double, bucket: Int) {
        #expect(LatencyBuckets.index(of: latency) == bucket)
    }

    @Test func eachBoundBeginsAClass() {
        for (index, bound) in LatencyBuckets.bounds.enumerated() {
            #expect(LatencyBuckets.index(of: bound) == index + 1)
            #expect(LatencyBuckets.index(of: bound.nextDown) == index)
        }
        #expect(LatencyBuckets.index(of: -1) == 0)
        #expect(LatencyBuckets.index(of: .infinity) == LatencyBuckets.count - 1)
    }

    @Test func thereIsAClassForEachBoundAndOneMore() {
        #expect(LatencyBuckets.count == LatencyBuckets.bounds.count + 1)
        #expect(LatencyBuckets.bounds == LatencyBuckets.bounds.sorted())
    }

    @Test func aPercentileLiesInItsClass() {
        var counts = [Int](repeating: 0, count: LatencyBuckets.count)
        #expect(LatencyBuckets.percentile(0.5, of: counts) == nil)
        counts[LatencyBuckets.index(of: 100)] = 90
        counts[LatencyBuckets.index(of: 1000)] = 10
        #expect(LatencyBuckets.percentile(0.45, of: counts) == .init(milliseconds: 112))
        #expect(LatencyBuckets.percentile(0.9, of: counts) == .init(milliseconds: 128))
        #expect(LatencyBuckets.percentile(0.95, of: counts) == .init(milliseconds: 768))
        counts[LatencyBuckets.count - 1] = 1_000
        #expect(LatencyBuckets.percentile(0.99, of: counts) == .init(milliseconds: 16_384, isLowerBound: true))
    }

    @Test(
        arguments: [
            (nil, 600_000, true), (600_000, 600_000, false), (659_999, 600_000, false), (660_000, 600_000, false),
            (720_000, 600_000, true), (0, 3_600_000, false), (0, 3_660_000, true), (59_999, 3_659_999, false),
        ] as [(UInt64?, Int64, Bool)]
    ) func aRecordIsFoundByItsKeyWhereThatTellsWhenItEnded(
        time: UInt64?,
        date: Int64,
        isByDate: Bool
    ) {
        #expect(StatisticsMinute.isByDate(messageTime: time, date: date) == isByDate)
    }

    @Test func aRowIsOneLineOfJSON() {
        var latency = [Int](repeating: 0, count: LatencyBuckets.count)
        latency[LatencyBuckets.index(of: 100)] = 4
        let row = StatisticsRow(start: 0, value: "a\"c", outcomes: ["rejected": 1, "accepted": 3], latency: latency)
        #expect(
            StatisticsJSON.line(row, dimension: .client) == """
                {"time":"1970-01-01T00:00:00.000Z","client":"a\\"c","count":4,"outcomes":{"accepted":3,"rejected":1},\
                "latency_ms_interpolated":{"p50":112,"p95":126.4,"p99":127.7}}
                """
        )
        // 20 s are more than the last class' beginning, and nobody knows by how much.
        latency[LatencyBuckets.index(of: 20_000)] = 1
        let slow = StatisticsRow(start: nil, value: nil, outcomes: ["accepted": 5], latency: latency)
        #expect(
            StatisticsJSON.line(slow, dimension: nil) == """
                {"count":5,"outcomes":{"accepted":5},"latency_ms_interpolated":{"p50":116,"p95":16384,"p99":16384},\
                "latency_at_least":["p95","p99"]}
                """
        )
        let whole = StatisticsRow(start: nil, value: nil, outcomes: ["expired": 2], latency: [])
        #expect(
            StatisticsJSON.line(whole, dimension: .reason) == #"{"reason":null,"count":2,"outcomes":{"expired":2}}"#
        )
        #expect(StatisticsJSON.line(whole, dimension: nil) == #"{"count":2,"outcomes":{"expired":2}}"#)
    }

    /// Texts are made anew for each record, short and long, so that they come and go at the same addresses.
    @Test(arguments: [2, 7, 40]) func recordsAreOfOneCellByWhatTheySayNotByWhereItLies(kinds: Int) {
        var tally = StatisticsTally()
        let count = 2_000
        tally.begin(count: count)
        for number in 0..<count {
            let name = "client \(number % kinds)" + String(repeating: "x", count: number % kinds)
            var record = DeliveryRecord.timed(number % 50, client: name, latency: number % 2 == 0 ? nil : 5)
            record.topic = "com.example.\(number % kinds).of-some-length"
            tally.note(record, at: number)
        }
        let doubtful = tally.count(LogWriteResult(written: count)) { _ in false }
        #expect(doubtful.isEmpty)
        #expect(tally.cells.count == kinds)
        for number in 0..<kinds {
            let name = "client \(number)" + String(repeating: "x", count: number)
            let counts = tally.cells.filter { $0.key.client == name }.map(\.counts.count)
            #expect(counts == [(0..<count).count { $0 % kinds == number }])
        }
        #expect(tally.cells.reduce(0) { $0 + $1.counts.latency[LatencyBuckets.index(of: 5)] } == count / 2)
    }
}
