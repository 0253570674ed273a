/// What a ``Trouble`` is, for programs: its words may change, and this does not.
///
/// It goes by way of the store from one release to another: add cases, and never call one otherwise.
package enum TroubleKind: String, CaseIterable, Sendable {
    /// The push service of a lane takes pushes and answers none.
    case pushServiceSilent = "push_service_silent"
    /// The push service of a lane cannot be connected to, and pushes wait.
    case pushServiceUnreached = "push_service_unreached"
    /// A lane has no token to send with, and pushes wait.
    case noToken = "no_token"
    /// The push service of a lane answers, and takes next to no push: they are put off.
    case pushServicePutsOff = "push_service_puts_off"
    /// Most pushes of a lane go to dead or wrong tokens.
    case deadTokens = "dead_tokens"
    /// Nothing is finished of what is in hand; the cause is something else: a lane, the store, the broker.
    case standstill
    /// Nearly as many batches are cancelled as may be.
    case cancellationsNearlyFull = "cancellations_nearly_full"
    /// An operator's order that nobody can read.
    case orderUnreadable = "order_unreadable"
    /// The configuration that was to be loaded cannot be used; the one before it stays in force.
    case reloadRefused = "reload_refused"
    /// A document of the collection `notifications` whose state nobody follows.
    case documentUnfollowed = "document_unfollowed"
}
