import WaybillCore
import WaybillDeliveryLog

extension StoryAdvice {
    /// The step that tells of the event that a verdict led to.
    static func event(_ verdict: TokenVerdict) -> String {
        switch verdict {
        case .dead: "dead token: an event was due in waybill.invalid-tokens"
        case .suspect: "suspect token: an event was due in waybill.invalid-tokens"
        }
    }

    /// What to do about an event that the registry knows nothing of.
    ///
    /// - Parameters:
    ///   - verdict: what the event says of its token.
    ///   - registry: what the registry says of the token; empty where it is not asked.
    ///   - taker: who takes events.
    ///   - isInStore: whether prune has put the event down already, as one that its fuse held.
    ///   - reader: who is told.
    /// - Returns: a sentence or two; `nil` where the registry has it, and where nobody can know.
    static func next(
        ofEvent verdict: TokenVerdict,
        registry: [StoryStep],
        taker: EventTaker,
        isInStore: Bool = false,
        reader: StoryReader
    ) -> String? {
        func isSaid(_ state: String) -> Bool { registry.contains { $0.text.hasPrefix(state) } }
        let isEnabled = isSaid("enabled")
        guard isEnabled || !isSaid("disabled") && !isSaid("suspected") else { return nil }
        switch taker {
        case .nobody:
            let begin = reader.isOperator ? "No waybill prune runs" : "Nobody prunes dead tokens at this moment"
            let rest = isEnabled ? ", and the registry still has the token enabled" : ""
            let start =
                reader.isOperator
                ? "Start it: `waybill prune`, or `systemctl start waybill-prune` where it is a service."
                : "Ask the operator."
            let place =
                isInStore
                ? "the event, which a person has released, waits in the store"
                : "the event waits in the queue waybill.invalid-tokens, unless a program of your own takes it"
            return "\(begin): \(place)\(rest). \(start)"
        case .prune where isEnabled && verdict == .dead:
            let look = reader.isOperator ? "; `waybill status` shows how many events wait" : ""
            return
                "The registry still has the token enabled: the app has registered it again since, or its event still waits\(look)."
        case .unknown where isEnabled && verdict == .dead:
            let look = reader.isOperator ? "see with `waybill status` whether waybill prune runs" : "ask the operator"
            return "The registry still has the token enabled: \(look), unless the app has registered it again since."
        case .prune, .unknown: return nil
        }
    }
}
