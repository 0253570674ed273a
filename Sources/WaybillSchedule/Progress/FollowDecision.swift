import WaybillAudience
import WaybillNotifications

/// What is done about the audience of a notification before its progress is read: pure.
enum FollowDecision: Hashable {
    /// The audience is another one's: nothing of the notification will ever be sent.
    case fail(reason: String)
    /// Nothing more of the audience is handed over for now.
    case hold
    /// The audience goes on.
    case goOn
    case cancel
    /// Nothing is to be done.
    case look

    /// - Parameters:
    ///   - followed: what the notification's document says.
    ///   - audience: the one of its name, as its record has it.
    /// - Returns: what is to be done.
    static func make(_ followed: PostedStore.Followed, _ audience: AudienceRecord) -> FollowDecision {
        if let digest = followed.digest, audience.digest != digest {
            return .fail(reason: "another audience has the name \(followed.audience)")
        }
        if audience.state.isEnded { return .look }
        if followed.isCancelled { return .cancel }
        guard audience.isHeld != followed.isHeld else { return .look }
        return followed.isHeld ? .hold : .goOn
    }
}
