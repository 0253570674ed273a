import WaybillProviders

extension StoryAdvice {
    /// What is put off for a fault of its lane, which nobody but an operator ends, or has ended; `nil` for any other reason.
    static func laneFault(
        reason: String,
        of lane: String?,
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> String? {
        let word = word(in: reason)
        guard provider.isLaneFault(reason: word) else { return nil }
        if let lane, openLanes.contains(lane) {
            return
                "Nothing yet: it was put off for \(word), and the lane \(lane) sends again. It comes back when its delay is over."
        }
        let advice = provider.advice(reason: word).map { ": \($0)" } ?? ""
        guard reader.isOperator else {
            let name = lane.map { "the lane \($0)" } ?? "its lane"
            return
                "\(word) does not end by itself: ask the operator to correct the configuration of \(name). Until then it is tried again every quarter of an hour or sooner."
        }
        return
            "\(word) does not end by itself\(advice). Correct it in the lane's configuration and reload the dispatcher. Until then it is tried again every quarter of an hour or sooner; `waybill lanes` shows the lane."
    }

    /// In front of the reason for which a lane was parked.
    private static let parked = "lane parked: "

    /// The provider's own word in a reason.
    static func word(in reason: String) -> String {
        reason.hasPrefix(parked) ? String(reason.dropFirst(parked.count)) : reason
    }
}
