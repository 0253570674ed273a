import WaybillDeviceRegistry
import WaybillMongo

/// What an app's answers on a lane were in the week before, by the hour; asked for once for each hour.
///
/// *Thread:* `wb-prune`. *Blocking:* up to the time limit of the statistics.
struct AnswerHistory {
    /// How much is known of what is usual, in minutes.
    private static let length: Int64 = 7 * 1440
    /// How far apart hours are that are looked at in turn, in minutes: what was carried out is kept for two hours.
    private static let reach: Int64 = 180

    /// By the minute until which it is.
    private var known: [FuseName: [Int64: [FuseRule.Minute]]] = [:]

    /// The hours before an hour.
    ///
    /// - Parameters:
    ///   - name: whose.
    ///   - until: the hour's first minute, in whole minutes since 1970.
    ///   - answers: of the lane.
    /// - Returns: those in which there were answers.
    /// - Throws: what the statistics cannot be read for.
    mutating func hours(
        of name: FuseName,
        before until: Int64,
        _ answers: LaneAnswers
    ) throws(MongoError) -> [FuseRule.Minute] {
        if let hours = known[name]?[until] { return hours }
        let hours = try answers.of([name.app], until - Self.length..<until, step: 60).steps[name.app] ?? []
        // What nobody comes back to, of any app, goes: producers choose topics as they like.
        known = known.mapValues { hours in hours.filter { abs($0.key - until) <= Self.reach } }.filter {
            !$0.value.isEmpty
        }
        known[name, default: [:]][until] = hours
        return hours
    }
}
