import WaybillThreads

/// What the requests of a lane prove their sender with: asks the lane's source of tokens, and remembers why there is none.
struct TokenSupply {
    /// What the requests of one turn go out with.
    enum Credential {
        /// The connection's certificate says who sends.
        case connection
        case token(PushToken)

        var token: PushToken? {
            if case .token(let token) = self { token } else { nil }
        }
    }

    /// How soon a source that has no token is asked again, if it does not say.
    static let pause = Duration.seconds(1)

    /// `nil` where no request needs a token.
    private var source: (any PushTokenSource)?
    /// A token is on its way, and the source will say so: it is not asked before.
    private var isAwaited = false
    /// When the source is to be asked again, after it had none.
    private(set) var retry: MonotonicTime?
    /// Why the last turn that could have sent had no token, and since when that is so.
    private(set) var obstacle: PushObstacle?
    /// The last of the source's problems that was reported.
    private var reported: String?

    init(_ source: (any PushTokenSource)?) {
        self.source = source
    }

    /// What to send with now.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when there may be a token.
    ///   - report: told why no token, or no successor of a good one, can be made: once for each problem.
    /// - Returns: `nil` when there is no token to send with.
    mutating func credential(
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void,
        report: (String) -> Void
    ) -> Credential? {
        guard let source else { return .connection }
        guard !isAwaited else { return nil }
        retry = nil
        switch source.token(at: now, whenReady: whenReady) {
        case .token(let token):
            obstacle = nil
            tell(source.problem, report)
            return .token(token)
        case .pending(let text, let kind):
            isAwaited = true
            note(kind, text, at: now.monotonic)
            return nil
        case .none(let text, let kind, let retryAt):
            retry = retryAt ?? now.monotonic.advanced(by: Self.pause)
            note(kind, text, at: now.monotonic)
            tell(text, report)
            return nil
        }
    }

    /// Another source takes over.
    mutating func replace(with source: (any PushTokenSource)?) {
        self.source = source
        isAwaited = false
    }

    /// The token that was on its way may be there.
    mutating func mayBeReady() {
        isAwaited = false
    }

    /// The service refused the token, and there is no other: said at once, because what waits may reach its limit before
    /// the source is asked again.
    mutating func noteRefusal(_ text: String, at now: MonotonicTime) {
        note(.token, text, at: now)
    }

    /// Forgets the time to ask again when it has come.
    mutating func timePassed(_ now: MonotonicTime) {
        if let retry, retry <= now { self.retry = nil }
    }

    private mutating func note(_ kind: PushObstacle.Kind, _ text: String, at now: MonotonicTime) {
        obstacle = PushObstacle(kind, text, since: obstacle?.since ?? now)
    }

    private mutating func tell(_ problem: String?, _ report: (String) -> Void) {
        if let problem, problem != reported { report(problem) }
        reported = problem
    }
}
