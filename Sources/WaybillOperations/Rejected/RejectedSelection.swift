import WaybillCore
import WaybillMessages

/// Which messages of the rejected queue are meant.
package struct RejectedSelection: Hashable, Sendable {
    /// The messages of these ids; of any if there are none.
    package var ids: Set<String>
    /// Those that were rejected for these reasons; for any if there are none.
    package var reasons: Set<String>

    package init(ids: Set<String> = [], reasons: Set<String> = []) {
        self.ids = ids
        self.reasons = reasons
    }

    /// Every reason that a message can have: Waybill's, the broker's, and that of one that nobody gave any.
    package static let knownReasons =
        BodyRejection.Reason.allCases.map(\.rawValue) + ["delivery_limit", "expired", "maxlen", "rejected", "unknown"]

    /// What is wrong with a reason that no message can have, and which one may be meant; `nil` for one that is known.
    package static func fault(ofReason reason: String) -> String? {
        guard !knownReasons.contains(reason) else { return nil }
        let hint = NearestName.to(reason, among: knownReasons).map { "did you mean \($0)?" }
        return
            "no message is rejected for this reason; \(hint ?? "known: \(knownReasons.sorted().joined(separator: ", "))")"
    }

    /// Whether a message is meant: with ids and reasons, by both.
    package func contains(_ message: RejectedMessage) -> Bool {
        (ids.isEmpty || ids.contains(message.id)) && (reasons.isEmpty || reasons.contains(message.rejection.reason))
    }
}
