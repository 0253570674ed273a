package import WaybillPushTransport
import WaybillTLS
package import WaybillThreads

/// The access tokens of one service account, shared by every connection and every client that sends with its key.
///
/// A token is bought when the first message wants to go out, and renewed in the background from half of its life on; it is
/// used until its end, also while the token endpoint cannot be reached. Safe to share between threads.
public final class FCMAccessTokenSource: Sendable {
    private struct State {
        var machine = AccessTokenMachine()
        var waiting: [@Sendable () -> Void] = []
        /// The date of the last assertion, in seconds since 1970.
        var signedAt: Int64?
    }

    /// The account.
    public let account: FCMServiceAccount
    private let writer: AssertionWriter
    private let exchange: TokenExchange
    private let state = Guarded(State())

    /// Creates a source; nothing is bought yet.
    ///
    /// - Parameters:
    ///   - account: the service account's key.
    ///   - trust: whose certificates the token endpoint may show.
    ///   - proxy: a proxy to reach the token endpoint through.
    /// - Throws: ``FCMSetupError`` when the trust file or the proxy cannot be used, or the system is out of threads.
    public convenience init(
        _ account: FCMServiceAccount,
        trust: FCMTrust = .system,
        proxy: FCMProxy? = nil
    ) throws(FCMSetupError) {
        try self.init(account, trust: trust, proxy: proxy, deadline: .seconds(15))
    }

    /// As the public initializer; `deadline` is the time that the answer to an exchange may take.
    init(
        _ account: FCMServiceAccount,
        trust: FCMTrust,
        proxy: FCMProxy?,
        deadline: Duration
    ) throws(FCMSetupError) {
        if let problem = proxy?.settings.problem { throw FCMSetupError("proxy: \(problem)") }
        self.account = account
        writer = AssertionWriter(account)
        exchange = try TokenExchange(
            account.endpoint,
            trust: trust.transport,
            proxy: proxy?.settings,
            deadline: deadline
        )
    }

    /// When an assertion is dated: not in the second of the last one, for RS256 would sign the same bytes again.
    ///
    /// The assertion's back-dating keeps the result behind the clock.
    static func date(after last: Int64?, now: Int64) -> Int64 {
        guard let last, (0..<AssertionWriter.backdating).contains(last - now) else { return now }
        return last + 1
    }

    private func begin(_ state: inout State, at now: ClockReading) {
        state.machine.began()
        let date = Self.date(after: state.signedAt, now: now.unixSeconds)
        state.signedAt = date
        let form: [UInt8]
        do {
            form = try writer.form(at: date)
        } catch {
            return state.machine.failed("the key cannot sign: \(error)", .key, at: now.monotonic, jitter: 0)
        }
        exchange.post(form) { [weak self] in self?.ended($0) }
    }

    private func ended(_ answer: TokenAnswer) {
        let now = MonotonicTime.now()
        let waiting = state.withLock { state in
            switch answer {
            case .token(let text, let life): state.machine.obtained(text, life: life, at: now)
            case .refused(let kind, let text):
                state.machine.failed(text, kind, at: now, jitter: Double.random(in: 0...1))
            }
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for whenReady in waiting { whenReady() }
    }
}

extension FCMAccessTokenSource: PushTokenSource {
    package func token(at now: ClockReading, whenReady: @escaping @Sendable () -> Void) -> TokenAvailability {
        state.withLock { state in
            while true {
                switch state.machine.next(at: now.monotonic) {
                case .use(let token): return .token(token)
                case .exchange: begin(&state, at: now)
                case .wait(let text, let kind):
                    state.waiting.append(whenReady)
                    return .pending(text, kind)
                case .none(let text, let kind, let retryAt): return .none(text, kind, retryAt: retryAt)
                }
            }
        }
    }

    package func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        sentAt: MonotonicTime,
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) -> TokenProspect {
        state.withLock { state in
            let (prospect, exchanges) = state.machine.refused(
                serial: serial,
                at: now.monotonic,
                jitter: Double.random(in: 0...1)
            )
            if exchanges { begin(&state, at: now) }
            return prospect
        }
    }

    package func accepted(serial: Int, at now: ClockReading) {
        state.withLock { $0.machine.accepted(serial: serial) }
    }

    package var problem: String? { state.withLock { $0.machine.problem?.text } }
}

extension FCMAccessTokenSource {
    /// Buys an access token, unless there is one: shows that key, clock and token endpoint are good.
    ///
    /// Bounded by the time that one exchange may take.
    ///
    /// - Returns: why there is none; `nil` if there is.
    package func tryExchange() async -> AccessTokenMachine.Problem? {
        await withCheckedContinuation { continuation in
            answer(continuation)
        }
    }

    private func answer(_ continuation: CheckedContinuation<AccessTokenMachine.Problem?, Never>) {
        let now = ClockReading(monotonic: .now(), unixSeconds: WallClock.milliseconds() / 1000)
        let availability = token(at: now) { self.answer(continuation) }
        switch availability {
        case .token: continuation.resume(returning: nil)
        case .none(let text, let kind, _):
            continuation.resume(returning: AccessTokenMachine.Problem(kind, text))
        case .pending: break
        }
    }
}

extension FCMAccessTokenSource: CustomStringConvertible, CustomReflectable {
    /// The ids of key and project.
    public var description: String { account.description }

    /// Shows what ``description`` does, and nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
