import Testing

@testable import WaybillDeliveryLog

/// Which documents tell of which outcomes.
struct StatisticsPlanChoiceTests {
    private typealias Run = StatisticsPlan.Run
    private static let day: Int64 = 20_000 * 1440

    /// Three days: the first one's hours are gone, the second one's minutes, the third has all, and its last hour no sum.
    private static var sums: StatisticsPlan.Sums {
        var sums = StatisticsPlan.Sums()
        for number in 0..<3 as Range<Int64> {
            let start = day + number * 1440
            if number < 2 { sums.days[start] = StatisticsSum(start: start, isSealed: number == 0, isSummed: true) }
            for hour in 0..<(number == 1 ? 24 : 23) as Range<Int64> where number > 0 {
                let begin = start + hour * 60
                sums.hours[begin] = StatisticsSum(start: begin, isSealed: number == 1, isSummed: number == 1)
            }
        }
        sums.unsummed = [day + 2 * 1440 + 23 * 60]
        return sums
    }

    @Test(
        arguments: [
            (2..<3, StatisticsLevel.minute, ["hour 2820..<2880", "minute 2880..<4320"]),
            (2..<3, .hour, ["hour 2820..<4260", "minute 4260..<4320"]),
            (1..<3, .day, ["day 0..<2880", "hour 2880..<4260", "minute 4260..<4320"]),
            (0..<1, .minute, ["day 0..<1440", "hour 1440..<1500"]),
        ] as [(Range<Int64>, StatisticsLevel, [String])]
    ) func eachHourIsReadOnce(
        days: Range<Int64>,
        wanted: StatisticsLevel,
        expected: [String]
    ) {
        let minutes = Self.day + days.lowerBound * 1440..<Self.day + days.upperBound * 1440
        let plan = StatisticsPlan(minutes, wanted: wanted, Self.sums)
        let runs = plan.runs.map { run in
            "\(run.level) \(run.documents.lowerBound - Self.day)..<\(run.documents.upperBound - Self.day)"
        }
        #expect(runs == expected)
        #expect((plan.hoursUntil != nil) == (wanted == .minute))
        #expect((plan.daysUntil != nil) == (wanted == .minute && days.lowerBound == 0))
    }

    @Test(
        arguments: [
            (0..<2880, 1440, ["day 0..<2880"]), (0..<2880, 60, ["hour 0..<2880"]), (0..<2880, 5, ["minute 0..<2880"]),
            (30..<4330, nil, ["minute 30..<60", "hour 60..<1440", "day 1440..<4320", "minute 4320..<4330"]),
            (1500..<1530, nil, ["minute 1500..<1530"]), (10..<50, 60, ["minute 10..<50"]),
        ] as [(Range<Int64>, Int64?, [String])]
    ) func aTimeIsDividedIntoWholeDaysAndWholeHoursAndTheRest(minutes: Range<Int64>, step: Int64?, expected: [String]) {
        let segments = StatisticsReader.segments(minutes, step: step)
        #expect(segments.map { "\($0.0) \($0.1)" } == expected)
    }
}
