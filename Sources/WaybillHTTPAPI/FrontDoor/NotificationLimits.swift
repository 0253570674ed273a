import HTTPTypes
import WaybillSettings
import WaybillThreads

/// How many notifications services and their owners may send, and how many keys that nobody knows an address may show.
///
/// Which service a key is was found out by the store; it is remembered here for this alone: who has shown a good key waits for
/// nobody who guesses.
final class NotificationLimits: Sendable {
    private struct State {
        var services: TokenBuckets
        /// By service and by account.
        var days: TokenBuckets
        /// Which service a key was of when it was shown last.
        var known: [String: String] = [:]
        var strangers = TokenBuckets()
        var lookUps = LookUpLimit()
    }

    /// What a request may do.
    enum Pass: Hashable {
        /// Its key was good lately.
        case service(String)
        /// Nobody knows yet whose it is; ``leave(_:)`` is owed.
        case stranger
        case tooMany(retryAfter: Int)
        case tooManyUnknown
    }

    private static let mostKnown = 10_000

    private let state: Guarded<State>

    init(_ settings: NotifireServiceSettings) {
        state = Guarded(
            State(
                services: TokenBuckets(burst: settings.burst, perSecond: Double(settings.perMinute) / 60),
                days: TokenBuckets(burst: settings.perDay, perSecond: Double(settings.perDay) / 86_400)
            )
        )
    }

    /// Looks at a request before the store is asked.
    ///
    /// - Parameters:
    ///   - key: what its key is counted under.
    ///   - neighbourhood: where it came from.
    /// - Returns: what it may do.
    func enter(_ key: String, _ neighbourhood: String) -> Pass {
        state.withLock { state in
            let now = MonotonicTime.now()
            if let service = state.known[key] {
                return state.services.hasAny(service, now: now)
                    ? .service(service) : .tooMany(retryAfter: state.services.seconds)
            }
            let isSuspect = !state.strangers.hasAny(neighbourhood, now: now)
            return state.lookUps.enter(neighbourhood, isSuspect: isSuspect) ? .stranger : .tooManyUnknown
        }
    }

    /// Ends what began as ``Pass/stranger``.
    func leave(_ neighbourhood: String) { state.withLock { $0.lookUps.leave(neighbourhood) } }

    /// Counts a notification of a service whose key was good.
    ///
    /// - Parameters:
    ///   - service: the service's id.
    ///   - key: the key's, where each key of a service has its own share of a minute.
    ///   - owner: the id of the account that the service belongs to.
    /// - Returns: how many seconds too early it is; `nil`: it is not.
    func admit(_ service: String, key: String? = nil, owner: String) -> Int? {
        state.withLock { state in
            let now = MonotonicTime.now()
            guard state.services.take(key ?? service, now: now).isGranted else { return state.services.seconds }
            guard state.days.hasAny(owner, now: now), state.days.take(service, now: now).isGranted else {
                return state.days.seconds
            }
            _ = state.days.take(owner, now: now)
            return nil
        }
    }

    /// Notes whose a key is.
    func know(_ key: String, service: String) {
        state.withLock { state in
            if state.known.count >= Self.mostKnown, state.known[key] == nil { state.known.removeAll() }
            state.known[key] = service
        }
    }

    /// Notes that a key is nobody's, or nobody's any more.
    ///
    /// - Returns: whether its address has not shown too many of them.
    func chargeUnknown(_ key: String, _ neighbourhood: String) -> Bool {
        state.withLock { state in
            state.known[key] = nil
            return state.strangers.take(neighbourhood, now: .now()).isGranted
        }
    }
}

extension TokenBuckets {
    /// Until a bucket that is empty has a token.
    fileprivate var seconds: Int { max(1, Int((1 / perSecond).rounded(.up))) }
}

extension Problem {
    /// To a service that has sent too many notifications.
    static func tooManyNotifications(_ seconds: Int) -> Self {
        Problem(.tooManyRequests, "this service has sent too many notifications; come again later")
            .with(.retryAfter, "\(seconds)")
    }

    /// To an address from which too many keys are shown that nobody knows.
    static var tooManyUnknownKeys: Self {
        Problem(.tooManyRequests, "too many unknown keys are shown from here").with(.retryAfter, "1")
    }
}
