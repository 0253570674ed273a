import WaybillDeviceRegistry
import WaybillMongo

/// What a lane's answers were in the week before, by app and hour; asked for once for each hour.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the time limit of the statistics.
struct AnswerHistory {
    /// How much is known of what is usual, in minutes.
    private static let length: Int64 = 7 * 1440
    /// How far apart hours are that are looked at in turn, in minutes: what was carried out is kept for two hours.
    private static let reach: Int64 = 180

    /// By lane, and by the minute until which it is.
    private var lanes: [String: [Int64: [String: [FuseRule.Minute]]]] = [:]

    /// The hours before an hour.
    ///
    /// - Parameters:
    ///   - app: whose.
    ///   - until: the hour's first minute, in whole minutes since 1970.
    ///   - answers: of the lane.
    /// - Returns: those in which there were answers.
    /// - Throws: what the statistics cannot be read for.
    mutating func hours(
        of app: String,
        before until: Int64,
        _ answers: LaneAnswers
    ) throws(MongoError) -> [FuseRule.Minute] {
        var known = lanes[answers.lane] ?? [:]
        if let hours = known[until] { return hours[app] ?? [] }
        let hours = try answers.byApp(until - Self.length..<until, step: 60).steps
        known = known.filter { abs($0.key - until) <= Self.reach }
        known[until] = hours
        lanes[answers.lane] = known
        return hours[app] ?? []
    }
}
