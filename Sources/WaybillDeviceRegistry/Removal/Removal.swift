/// What an invalid-token event means for the registry.
package enum Removal: String, CaseIterable, Hashable, Sendable {
    /// The registration is older than the provider's word: it ends.
    case disable
    /// Nobody registered the token here: it is remembered as disabled, so that a late registration of old data shows.
    case tombstone
    /// Marked, not disabled: the token, the topic or the environment may be the mistake.
    case suspect
    /// Nobody registered the token here, and nothing proves it dead: there is nothing to mark. A document would make a
    /// device of it, one that may be pushed to.
    case unknownDevice
    /// The app has registered again since: the event is history.
    case newerRegistration
    /// The registry says so already.
    case already
}
