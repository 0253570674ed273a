import WaybillMongo

/// What the document of a posted notification says of itself.
package struct PostedSummary: Hashable, Sendable {
    /// `new` where nobody has looked at it.
    package var state: String
    package var devices: Int
    package var handedOver: Int
    /// Notifications that the dispatchers may have besides.
    package var unconfirmed: Int
    package var outcomes: [PostedProgress.Outcome]
    package var reason: String?
    /// When its audience begins, in milliseconds since 1970.
    package var begins: Int64?
    package var isHeld: Bool

    /// Whether nothing more becomes of it.
    package var hasEnded: Bool { ["sent", "failed", "cancelled", "refused"].contains(state) }
}

extension PostedSummary {
    private typealias Field = NotificationLayout.Field

    init(_ document: BSONDocument) {
        self.init(
            state: document["\(Field.state)"]?.string ?? "new",
            devices: Int(document["\(Field.devices)"]?.int ?? 0),
            handedOver: Int(document["\(Field.handedOver)"]?.int ?? 0),
            unconfirmed: Int(document["\(Field.unconfirmed)"]?.int ?? 0),
            outcomes: (document["\(Field.outcomes)"]?.document?.fields ?? []).map { name, count in
                PostedProgress.Outcome(name: name, count: Int(count.int ?? 0))
            },
            reason: document["\(Field.reason)"]?.string,
            begins: document["\(Field.begins)"]?.date,
            isHeld: document["\(Field.held)"]?.bool ?? false
        )
    }
}
