/// A lane's setting `expiration`, which replaces the defaults of ``Lifetime``.
package enum LaneExpiration: Hashable, Sendable {
    /// Seconds from the message's own time.
    case after(Int)
    /// One attempt; the provider stores nothing.
    case immediate
    /// The provider decides.
    case absent
}
