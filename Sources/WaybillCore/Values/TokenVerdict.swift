/// How sure a provider is that a token cannot be used.
package enum TokenVerdict: String, CaseIterable, Sendable {
    /// The token is gone.
    case dead
    /// The token, or what it was used with, is wrong: it may be a mistake of ours.
    case suspect
}
