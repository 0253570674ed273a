/// What a reload waits for, in words.
struct ReloadProgress {
    /// The worker that finishes what it has, as it is now; `nil` while the new one does not work yet.
    var finishing: WorkStatus?
    /// Whether another reload is to follow.
    var isAskedAgain = false

    /// One line.
    var text: String {
        let text =
            finishing.map { "the previous configuration finishes " + Self.rest($0) } ?? "the new configuration starts"
        return isAskedAgain ? text + "; the next reload waits for that" : text
    }

    /// As `12 messages (lane parcels: 40 in flight, 3 waiting)`.
    private static func rest(_ status: WorkStatus) -> String {
        let messages = status.inFlight.first { $0.name == "messages" }?.count ?? 0
        let lanes = status.lanes.filter { $0.streams + $0.waiting > 0 }.map { lane in
            "lane \(lane.name): \(lane.streams) in flight" + (lane.waiting > 0 ? ", \(lane.waiting) waiting" : "")
        }
        let what = messages == 1 ? "1 message" : messages > 0 ? "\(messages) messages" : "what it had taken"
        return what + (lanes.isEmpty ? "" : " (\(lanes.joined(separator: "; ")))")
    }
}
