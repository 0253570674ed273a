import HTTPTypes
import WaybillSettings
import WaybillThreads

/// How often somebody who has shown nothing may ask: by the address, or the block of addresses that one client has, and all
/// together a hundred times as often.
final class StrangerAllowances: Sendable {
    /// What is asked.
    enum Kind: Hashable, CaseIterable {
        case check, logIn, signUp, confirmation, renewal
    }

    private struct State {
        var ofOne: [Kind: TokenBuckets] = [:]
        var ofAll: [Kind: TokenBuckets] = [:]
    }

    private static let together = 100

    private let state: Guarded<State>

    init(_ limits: AccountSettings.Limits) {
        var state = State()
        for kind in Kind.allCases {
            let (number, seconds) = Self.allowance(kind, limits)
            let perSecond = Double(number) / seconds
            state.ofOne[kind] = TokenBuckets(burst: number, perSecond: perSecond)
            state.ofAll[kind] = TokenBuckets(
                burst: number * Self.together,
                perSecond: perSecond * Double(Self.together)
            )
        }
        self.state = Guarded(state)
    }

    private static func allowance(_ kind: Kind, _ limits: AccountSettings.Limits) -> (Int, seconds: Double) {
        switch kind {
        case .check, .confirmation: (limits.checksPerMinute, 60)
        // Every app of an office renews its token once an hour, and after each start.
        case .renewal: (2 * limits.checksPerMinute, 60)
        case .logIn: (limits.logInsPerMinute, 60)
        case .signUp: (limits.signUpsPerHour, 3600)
        }
    }

    /// Counts a request.
    ///
    /// - Throws: ``Problem`` 429 for one too many.
    func take(_ kind: Kind, _ context: APIContext) throws(Problem) {
        let wait: Int? = state.withLock { state in
            let now = MonotonicTime.now()
            guard let one = state.ofOne[kind]?.take(context.neighbourhood, now: now), one.isGranted else {
                return state.ofOne[kind].map { Int((1 / $0.perSecond).rounded(.up)) } ?? 1
            }
            guard let all = state.ofAll[kind]?.take("", now: now), all.isGranted else { return 1 }
            return nil
        }
        guard let wait else { return }
        throw Problem(.tooManyRequests, "this is asked too often from here; come again later")
            .with(.retryAfter, "\(max(1, wait))")
    }
}
