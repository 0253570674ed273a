import WaybillPushTransport

/// What an answer of FCM means: one table for whoever has to act on it (Google, `ErrorCode` and "Scale FCM").
///
/// Read in this order: FcmError by its type, ErrorInfo, `error.status`, the HTTP status; never the message's text. The same
/// status means several things: of all 404s only UNREGISTERED speaks of the token. 401, 403 and 404 speak of the access token
/// or the configuration only without an FcmError; with an FcmError that is unknown, or of another status, the message is dropped.
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
        case 401 where code == nil: self.init(action: .fixConfiguration, refusesBearer: true)
        case 403 where code == nil, 404 where code == nil: self.init(action: .fixConfiguration)
        case 403 where code == .senderIDMismatch: self.init(action: .checkToken)
        case 404 where code == .unregistered: self.init(action: .removeToken)
        case 429: self.init(action: .retryLater(Self.scope(body)))
        case 500: self.init(action: .retryLater(.message), mayHaveBeenTaken: true)
        case 502, 504: self.init(action: .retryLater(.project), mayHaveBeenTaken: true)
        case 500...599: self.init(action: .retryLater(.project))
        default: self.init(action: .dropMessage)
        }
    }

    /// The owner of the quota that is used up: the project where nothing tells.
    ///
    /// A code that is not known speaks of one message.
    private static func scope(_ body: FCMAnswerBody) -> FCMAction.Scope {
        if let code = body.errorCode.map(FCMErrorCode.init(rawValue:)), code != .quotaExceeded { return .message }
        for quota in body.quotas {
            let words = quota.lowercased()
            if words.contains("device") { return .message }
            if words.contains("topic") { return .topic }
        }
        return .project
    }
}

extension FCMMeaning {
    /// The time to wait: what `retry-after` asks for, up to an hour.
    ///
    /// Where it asks for nothing (Google, "Scale FCM"), 60 s after 429, 30 s behind a front end's 502 and 504, and 10 s after
    /// 500, 503 and everything else.
    package static func wait(status: Int, asked: Duration?) -> Duration {
        if let asked, asked > .zero { return min(asked, RetryAfter.longest) }
        return switch status {
        case 429: .seconds(60)
        case 502, 504: .seconds(30)
        default: .seconds(10)
        }
    }
}
