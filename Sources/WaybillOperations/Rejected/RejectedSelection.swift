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

    /// Whether a message is meant: with ids and reasons, by both.
    package func contains(_ message: RejectedMessage) -> Bool {
        (ids.isEmpty || ids.contains(message.id)) && (reasons.isEmpty || reasons.contains(message.rejection.reason))
    }
}
