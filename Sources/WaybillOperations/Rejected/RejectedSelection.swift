import WaybillCore
package import WaybillEncoding
import WaybillMessages

/// Which messages of the rejected queue are meant.
package struct RejectedSelection: Hashable, Sendable {
    /// The messages of these ids; of any if there are none.
    package var ids: Set<ExactName>
    /// Those that were rejected for these reasons; for any if there are none.
    package var reasons: Set<String>

    /// Whether all messages of an id are meant where several have it.
    package var includesSameID: Bool

    package init(ids: Set<ExactName> = [], reasons: Set<String> = [], includesSameID: Bool = false) {
        self.ids = ids
        self.reasons = reasons
        self.includesSameID = includesSameID
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

    /// An id that several messages have: producers choose message-ids as they like.
    package struct SharedID: Error, Hashable {
        package let id: String
        /// Of its messages in the queue.
        package let positions: [Int]

        /// The first of the positions in words, such as `1, 4 and 5` or `1, 2, 3 and so on`.
        package var numbers: String {
            let named = positions.prefix(3).map(String.init)
            if positions.count > named.count { return named.joined(separator: ", ") + " and so on" }
            return named.dropLast().joined(separator: ", ") + " and " + (named.last ?? "")
        }
    }

    /// Of what is meant by ids, the first id that may mean another message than whoever gave it has seen.
    ///
    /// - Parameter messages: all that are meant.
    /// - Returns: `nil` where each has an id of its own, where all that have it are meant, and where no id was given.
    package func ambiguousID(among messages: [RejectedMessage]) -> SharedID? {
        ids.isEmpty || includesSameID ? nil : Self.sharedID(among: messages)
    }

    /// The id of the first message that does not have it alone; `nil` where each has one of its own.
    package static func sharedID(among messages: [RejectedMessage]) -> SharedID? {
        let groups = Dictionary(grouping: messages) { ExactName($0.id) }.filter { $0.value.count > 1 }
        return groups.map { SharedID(id: $0.key.text, positions: $0.value.map(\.position)) }
            .min { $0.positions[0] < $1.positions[0] }
    }

    /// Whether a message is meant: with ids and reasons, by both.
    package func contains(_ message: RejectedMessage) -> Bool {
        (ids.isEmpty || ids.containsExactly(message.id))
            && (reasons.isEmpty || reasons.contains(message.rejection.reason))
    }
}
