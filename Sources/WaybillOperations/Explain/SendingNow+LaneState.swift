import WaybillFleet

extension SendingNow {
    /// One lane in all dispatchers.
    struct LaneState {
        let name: String
        /// Each dispatcher's own.
        var reports: [ProcessReport.Lane]
        /// When the dispatchers that tell of it began, in milliseconds since 1970, in the same order.
        var starts: [Int64]
        let order: LaneOrder?

        /// What it is in a dispatcher that does not send on it; `nil` where all do.
        var closedState: String? { reports.first { $0.state != "open" }?.state }

        /// Since when some dispatcher has not sent on it, as far as that is known.
        var closedSince: String? {
            let times = zip(reports, starts).compactMap { report, start -> (time: String, isAtLeast: Bool)? in
                guard report.state != "open", let since = report.since else { return nil }
                return (since, report.mayBeOlder(thanStart: start))
            }
            return times.min { $0.time < $1.time }.map { $0.isAtLeast ? "at least \($0.time)" : $0.time }
        }
    }
}
