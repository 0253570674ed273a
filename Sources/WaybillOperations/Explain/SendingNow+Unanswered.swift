import WaybillEncoding
import WaybillFleet

extension SendingNow {
    /// What push services have taken and not answered, lane by lane, each in a sentence.
    ///
    /// No push that is on its way has a record: only its lane tells that it may be among those.
    ///
    /// - Parameters:
    ///   - lanes: the lanes that it is about; `nil` for all of them.
    ///   - told: lanes of which something is told already.
    /// - Returns: empty where each push has its answer.
    func unanswered(lanes: Set<String>? = nil, except told: Set<String> = []) -> [String] {
        let reports = dispatcherReports ?? []
        var streams: [String: Int] = [:]
        for lane in reports.flatMap({ $0.lanes ?? [] }) where lanes?.contains(lane.name) ?? true {
            guard !told.contains(lane.name) else { continue }
            streams[lane.name, default: 0] += lane.streams ?? 0
        }
        return streams.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { lane, count in
            let pushes = count == 1 ? "1 push is" : "\(count) pushes are"
            let since = Self.silence(of: lane, reports).map { "; it has answered none since \($0)" } ?? ""
            return "On the lane \(lane) \(pushes) sent, and the push service has not answered yet\(since)."
        }
    }

    /// What to do where nothing is wrong: a push in the hands of a dispatcher has no record yet, and gets one.
    static let nothingToDoYet =
        "Nothing yet: what a dispatcher has in hand gets a record. A push without an answer is given up after dispatch.request_timeout (30 s, "
        + "unless it is set), and sent again where that is safe: ask again in two minutes."

    /// Since when a lane's push service has answered nothing, by who noticed it first; `nil` where it is not said to be silent.
    private static func silence(of lane: String, _ reports: [ProcessReport]) -> String? {
        reports.flatMap(\.toldTroubles).filter { $0.isSilence && $0.lane == lane }
            .compactMap(\.since).min()
    }
}
