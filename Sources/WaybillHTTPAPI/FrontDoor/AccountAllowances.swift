import HTTPTypes
import WaybillSettings
import WaybillThreads

/// How often an account may have something written, from wherever it asks.
final class AccountAllowances: Sendable {
    /// What is written.
    enum Kind: Hashable, CaseIterable {
        /// Services that are made, changed and deleted.
        case change
        /// Keys of services, and secrets of their webhooks.
        case keyChange
        /// Phones on which it logs in or out.
        case device
        /// Passwords in the place of the one before.
        case password
    }

    /// Wrong ones among them, for each is a mail to the account's address; nobody changes theirs more often.
    private static let passwordsPerHour = 10

    private let state: Guarded<[Kind: TokenBuckets]>

    init(_ limits: AccountSettings.Limits) {
        var buckets: [Kind: TokenBuckets] = [:]
        for kind in Kind.allCases {
            let (number, seconds): (Int, Double) =
                switch kind {
                case .change: (limits.changesPerMinute, 60)
                case .keyChange: (limits.keyChangesPerHour, 3600)
                case .device: (limits.devicesPerHour, 3600)
                case .password: (Self.passwordsPerHour, 3600)
                }
            buckets[kind] = TokenBuckets(burst: number, perSecond: Double(number) / seconds)
        }
        state = Guarded(buckets)
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - kind: what is asked.
    ///   - account: the id of who asks.
    /// - Throws: ``Problem`` 429 for one too many.
    func take(_ kind: Kind, _ account: String) throws(Problem) {
        let wait: Int? = state.withLock { state in
            guard let allowance = state[kind]?.take(account, now: .now()), !allowance.isGranted else { return nil }
            return state[kind].map { Int((1 / $0.perSecond).rounded(.up)) }
        }
        guard let wait else { return }
        throw Problem(.tooManyRequests, "this account asks for this too often; come again later")
            .with(.retryAfter, "\(max(1, wait))")
    }
}
