/// FCM's answer to a message, a refusal as well as an acceptance.
public struct FCMResponse: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The message's name, `projects/<project>/messages/<id>`.
    ///
    /// For the log; FCM does not promise that no other message has it.
    public let name: String?
    /// FCM's own word, where the answer has an FcmError.
    public let errorCode: FCMErrorCode?
    /// What else names the refusal: ErrorInfo's reason, or `error.status`.
    public let detail: String?
    /// The fields that FCM has something against: `message.token`, `message.data[0].value`.
    public let violations: [String]
    /// What to do.
    public let action: FCMAction
    /// Whether FCM may have taken the message in spite of the answer: a repeat may then reach the app twice.
    public let mayHaveBeenTaken: Bool
    /// How long to wait before it is sent again; `nil` where it should not be.
    public let retryAfter: Duration?
    /// From the request to the answer; the last attempt only.
    public let latency: Duration
    /// How often the message was put on a stream: more than once where the client itself has sent it again.
    public let attempts: Int

    /// Creates a response, for tests of what handles it; ``action`` is what FCM's answer would mean.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - name: a good answer's name.
    ///   - errorCode: FcmError's word.
    ///   - violations: the fields that FCM has something against.
    ///   - retryAfter: what the answer asks for.
    ///   - latency: from the request to the answer.
    public init(
        status: Int,
        name: String? = nil,
        errorCode: FCMErrorCode? = nil,
        violations: [String] = [],
        retryAfter: Duration? = nil,
        latency: Duration = .zero
    ) {
        var body = FCMAnswerBody()
        body.name = name
        body.errorCode = errorCode?.rawValue
        body.violations = violations
        self.init(status: status, body: body, retryAfter: retryAfter, latency: latency)
    }

    package init(
        status: Int,
        body: FCMAnswerBody,
        retryAfter asked: Duration?,
        latency: Duration,
        attempts: Int = 1
    ) {
        let meaning = FCMMeaning(status: status, body: body)
        self.status = status
        name = body.name
        errorCode = body.errorCode.map(FCMErrorCode.init(rawValue:))
        detail = body.errorInfo ?? body.status
        violations = body.violations
        action = meaning.action
        mayHaveBeenTaken = meaning.mayHaveBeenTaken
        if case .retryLater = meaning.action {
            retryAfter = FCMMeaning.wait(status: status, asked: asked)
        } else {
            retryAfter = nil
        }
        self.latency = latency
        self.attempts = attempts
    }

    /// Whether FCM took the message.
    public var isAccepted: Bool { status == 200 }
}

extension FCMResponse: CustomStringConvertible {
    /// The status, and the word that says most.
    public var description: String {
        (errorCode?.rawValue ?? detail).map { "\(status) \($0)" } ?? "\(status)"
    }
}
