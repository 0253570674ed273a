/// What to do after an answer.
public enum FCMAction: Hashable, Sendable {
    /// Who has to wait.
    public enum Scope: Hashable, Sendable {
        /// The message alone: the device has had too many, or FCM failed over it.
        case message
        /// Everything for that topic.
        case topic
        /// Everything of that project.
        case project
    }

    /// Nothing: FCM took the message. It is accepted, not delivered.
    case none
    /// Never send to that token again: it is dead, since the moment of the request at the latest. FCM says no time, so a
    /// token that was registered later stays.
    case removeToken
    /// Look after the token: it may be malformed or another project's. One such answer is no proof, for a wrong key on the
    /// sender's side gives it for every token.
    case checkToken
    /// Do not send the message again: it does not fit.
    case dropMessage
    /// Stop, and have a person look: project, right, key or API are not as they should be.
    case fixConfiguration
    /// Send it again, no sooner than ``FCMResponse/retryAfter`` says.
    case retryLater(Scope)
}
