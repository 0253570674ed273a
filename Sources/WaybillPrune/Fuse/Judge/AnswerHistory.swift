import WaybillDeviceRegistry
import WaybillMongo

/// What a lane's answers were in the week before, by app and hour; asked for once an hour.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the time limit of the statistics.
struct AnswerHistory {
    /// How much is known of what is usual, in minutes.
    private static let length: Int64 = 7 * 1440

    private var lanes: [String: (hours: [String: [FuseRule.Minute]], until: Int64)] = [:]

    /// The hours before a minute.
    ///
    /// - Parameters:
    ///   - app: whose.
    ///   - minute: whole minutes since 1970; its own hour is none of them.
    ///   - answers: of the lane.
    /// - Returns: those in which there were answers.
    /// - Throws: what the statistics cannot be read for.
    mutating func hours(
        of app: String,
        before minute: Int64,
        _ answers: LaneAnswers
    ) throws(MongoError) -> [FuseRule.Minute] {
        let until = minute / 60 * 60
        if let known = lanes[answers.lane], known.until == until { return known.hours[app] ?? [] }
        let hours = try answers.byApp(until - Self.length..<until, step: 60).steps
        lanes[answers.lane] = (hours, until)
        return hours[app] ?? []
    }
}
