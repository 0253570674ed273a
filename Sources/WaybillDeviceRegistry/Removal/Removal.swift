/// What an invalid-token event means for the registry.
package enum Removal: String, CaseIterable, Hashable, Sendable {
    /// The registration is older than the provider's word: it ends.
    case disable
    /// Nobody registered the token here: it is remembered as disabled, so that a late registration of old data shows.
    case tombstone
    /// Marked, not disabled: the token, the topic or the environment may be the mistake.
    case suspect
    /// The app has registered again since: the event is history.
    case newerRegistration
    /// The registry says so already.
    case already
}
