/// What the document of a posted notification says of itself.
package struct PostedSummary: Hashable, Sendable {
    /// `new` where nobody has looked at it.
    package var state: String
    package var devices: Int
    package var handedOver: Int
    package var outcomes: [PostedProgress.Outcome]
    package var reason: String?

    /// Whether nothing more becomes of it.
    package var hasEnded: Bool { ["sent", "failed", "cancelled", "refused"].contains(state) }
}
