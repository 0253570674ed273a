package import WaybillPushTransport
package import WaybillThreads

/// When an access token is bought, and which one is used; pure.
///
/// A successor is bought in the background from half of a token's life on, one exchange at a time; the old token is used
/// until its end. A token that FCM refuses is replaced once: if the successor is refused, too, before it was ever
/// accepted, the fault is not the token's, and new ones are bought with growing pauses only.
package struct AccessTokenMachine {
    /// What to do for somebody who wants to send.
    package enum Step {
        case use(PushToken)
        /// Begin an exchange, and ask again.
        case exchange
        /// An exchange is under way.
        case wait(String, PushObstacle.Kind)
        case none(String, PushObstacle.Kind, retryAt: MonotonicTime)
    }

    /// Why there is no token, or no successor of one that is still good.
    package struct Problem: Hashable, Sendable {
        package let kind: PushObstacle.Kind
        /// For a person.
        package let text: String

        package init(_ kind: PushObstacle.Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    private struct Token {
        let token: PushToken
        let renewal: MonotonicTime
        let end: MonotonicTime
        let obtained: MonotonicTime
        var isAccepted = false
        var isRefused = false
    }

    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)
    /// The last part of a token's life, in which it may end on the way.
    private static let margin = Duration.seconds(5)

    /// A token that has been used for so long was good.
    private static let trial = Duration.seconds(60)

    private var current: Token?
    private var isExchanging = false
    private var serial = 0
    private var failures = 0
    /// When the next exchange may begin.
    private var notBefore: MonotonicTime?
    /// Why the last exchange brought nothing.
    package private(set) var problem: Problem?

    package init() {}

    /// What to do now.
    package func next(at now: MonotonicTime) -> Step {
        let usable = current.flatMap { $0.end > now && !$0.isRefused ? $0 : nil }
        let mayExchange = !isExchanging && (notBefore.map { $0 <= now } ?? true)
        if let usable {
            return usable.renewal <= now && mayExchange ? .exchange : .use(usable.token)
        }
        if isExchanging {
            let problem = problem ?? Problem(.token, "an access token is being fetched")
            return .wait(problem.text, problem.kind)
        }
        if mayExchange { return .exchange }
        let problem = problem ?? Problem(.token, "FCM refused the access token")
        return .none(problem.text, problem.kind, retryAt: notBefore ?? now)
    }

    /// An exchange begins.
    package mutating func began() {
        isExchanging = true
    }

    /// An exchange brought a token.
    package mutating func obtained(_ text: String, life: Int64, at now: MonotonicTime) {
        isExchanging = false
        problem = nil
        serial += 1
        let life = Duration.seconds(life)
        let wasDoubted = current.map { $0.isRefused } ?? false
        if !wasDoubted {
            failures = 0
            notBefore = nil
        }
        current = Token(
            token: PushToken(serial: serial, authorization: Array("Bearer \(text)".utf8)),
            renewal: now.advanced(by: life / 2),
            end: now.advanced(by: max(life - Self.margin, life / 2)),
            obtained: now
        )
    }

    /// An exchange brought none.
    ///
    /// - Parameters:
    ///   - text: why.
    ///   - kind: by what is to be done about it.
    ///   - now: the present.
    ///   - jitter: 0 to 1, drawn anew each time.
    package mutating func failed(
        _ text: String,
        _ kind: PushObstacle.Kind = .token,
        at now: MonotonicTime,
        jitter: Double
    ) {
        isExchanging = false
        problem = Problem(kind, text)
        pause(at: now, jitter: jitter)
    }

    private mutating func pause(at now: MonotonicTime, jitter: Double) {
        let pause = min(Self.firstPause * (1 << min(failures, 6)), Self.longestPause)
        failures += 1
        notBefore = now.advanced(by: pause * (0.75 + 0.5 * jitter))
    }

    /// FCM took a request with the token of this serial.
    package mutating func accepted(serial: Int) {
        guard current?.token.serial == serial else { return }
        current?.isAccepted = true
        failures = 0
    }

    /// FCM refused the token of this serial.
    ///
    /// - Returns: what the request can hope for, and whether an exchange has to begin.
    package mutating func refused(
        serial: Int,
        at now: MonotonicTime,
        jitter: Double
    ) -> (prospect: TokenProspect, exchanges: Bool) {
        guard let token = current, token.token.serial == serial else {
            // Another request has said so before, and a newer token is here.
            return (current.map { $0.isRefused } == false ? .successor : .none, false)
        }
        if token.isRefused { return (isExchanging ? .successor : .none, false) }
        current?.isRefused = true
        // The first token of all may have been refused for its own sake, as well as one that was good before.
        let wasGood = token.isAccepted || now.duration(since: token.obtained) >= Self.trial
        guard wasGood || serial == 1 else {
            problem = Problem(.token, "FCM refuses every access token")
            pause(at: now, jitter: jitter)
            return (.none, false)
        }
        return (.successor, !isExchanging)
    }
}
