/// What an answer of FCM means: one table for whoever has to act on it (Google, `ErrorCode` and "Scale FCM").
///
/// Read in this order: FcmError by its type, ErrorInfo, `error.status`, the HTTP status; never the message's text. The same
/// status means several things: of all 404s only UNREGISTERED speaks of the token, the others of the configuration.
package struct FCMMeaning: Hashable, Sendable {
    /// What to do.
    package var action: FCMAction
    /// Whether FCM may have taken the message in spite of the answer.
    package var mayHaveBeenTaken = false
    /// The access token is refused: a newer one may do.
    package var refusesBearer = false

    package init(action: FCMAction, mayHaveBeenTaken: Bool = false, refusesBearer: Bool = false) {
        self.action = action
        self.mayHaveBeenTaken = mayHaveBeenTaken
        self.refusesBearer = refusesBearer
    }

    /// Looks an answer up.
    package init(status: Int, body: FCMAnswerBody) {
        let code = body.errorCode.map(FCMErrorCode.init(rawValue:))
        switch status {
        case 200: self.init(action: .none)
        case 400:
            let isOfToken = code == .invalidArgument && body.violations.contains("message.token")
            self.init(action: isOfToken ? .checkToken : .dropMessage)
        // FCM passes a message on to Apple or a browser's service only: the token is of none of Android's.
        case 401 where code == .thirdPartyAuthError: self.init(action: .dropMessage)
        case 401: self.init(action: .fixConfiguration, refusesBearer: true)
        case 403: self.init(action: code == .senderIDMismatch ? .checkToken : .fixConfiguration)
        case 404: self.init(action: code == .unregistered ? .removeToken : .fixConfiguration)
        case 429: self.init(action: .retryLater(Self.scope(body)))
        case 500: self.init(action: .retryLater(.message), mayHaveBeenTaken: true)
        case 502, 504: self.init(action: .retryLater(.project), mayHaveBeenTaken: true)
        case 500...599: self.init(action: .retryLater(.project))
        default: self.init(action: .dropMessage)
        }
    }

    /// Whose quota is used up; what is not said is taken for the project's.
    private static func scope(_ body: FCMAnswerBody) -> FCMAction.Scope {
        for quota in body.quotas {
            let words = quota.lowercased()
            if words.contains("device") { return .message }
            if words.contains("topic") { return .topic }
        }
        return .project
    }
}

extension FCMMeaning {
    /// The least time to wait, whatever the answer asks for (Google, "Scale FCM"): 60 s after 429 without `retry-after`,
    /// 10 s after 500 and 503, 30 s behind a front end's 502 and 504.
    package static func leastWait(status: Int, asked: Duration?) -> Duration {
        let longest = Duration.seconds(3600)
        switch status {
        case 429: return min(max(asked ?? .seconds(60), .seconds(1)), longest)
        case 502, 504: return min(max(asked ?? .zero, .seconds(30)), longest)
        default: return min(max(asked ?? .zero, .seconds(10)), longest)
        }
    }
}
