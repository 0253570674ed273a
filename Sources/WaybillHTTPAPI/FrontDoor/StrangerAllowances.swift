import HTTPTypes
import WaybillSettings
import WaybillThreads

/// How often somebody who has shown nothing may ask: by the address, or the block of addresses that one client has; a few times
/// as often by the wider blocks around it; and all together a hundred times as often.
///
/// No network can use up what there is for all. The last quarter of that is for those whose networks have asked for little.
final class StrangerAllowances: Sendable {
    /// What is asked.
    enum Kind: Hashable, CaseIterable {
        case check, logIn, signUp, resend, reset, confirmation, renewal, socket, image

        /// The kind whose buckets of networks count it.
        ///
        /// Mails that are asked for again count as sign-ups, but for the limit of all networks together. Resets have their own.
        var own: Self { self == .resend ? .signUp : self }
    }

    private struct State {
        /// By what is asked, and by the share of the block.
        var ofBlocks: [Kind: [Int: TokenBuckets]] = [:]
        var ofAll: [Kind: TokenBuckets] = [:]
    }

    private static let together = 100
    /// What is left for networks that have asked for little, and how much of their own these have left.
    private static let reserve = 0.25
    private static let quiet = 0.95

    private let state: Guarded<State>

    init(_ limits: AccountSettings.Limits) {
        var state = State()
        for kind in Kind.allCases {
            let (number, seconds) = Self.allowance(kind, limits)
            func buckets(_ times: Int) -> TokenBuckets {
                TokenBuckets(burst: number * times, perSecond: Double(number * times) / seconds)
            }
            for share in AddressBlock.shares { state.ofBlocks[kind, default: [:]][share] = buckets(share) }
            state.ofAll[kind] = buckets(Self.together)
        }
        self.state = Guarded(state)
    }

    private static func allowance(_ kind: Kind, _ limits: AccountSettings.Limits) -> (Int, seconds: Double) {
        switch kind {
        case .check, .confirmation: (limits.checksPerMinute, 60)
        // Every app of an office renews its token once an hour, and after each start; and connects again when the network was away.
        case .renewal, .socket: (2 * limits.checksPerMinute, 60)
        // An office's phones show a push at the same moment, and each keeps what it has got.
        case .image: (10 * limits.checksPerMinute, 60)
        case .logIn: (limits.logInsPerMinute, 60)
        case .signUp, .resend, .reset: (limits.signUpsPerHour, 3600)
        }
    }

    /// Counts a request.
    ///
    /// - Throws: ``Problem`` 429 for one too many.
    func take(_ kind: Kind, _ context: APIContext) throws(Problem) {
        guard let wait = take(kind, context.neighbourhood, now: .now()) else { return }
        throw Problem(.tooManyRequests, "this is asked too often from here; come again later")
            .with(.retryAfter, "\(wait)")
    }

    /// Counts a request of an account for a mail to an address.
    ///
    /// - Throws: ``Problem`` 429 for one too many.
    func take(mailFrom account: String) throws(Problem) {
        guard let wait = take(.resend, "account \(account)", now: .now()) else { return }
        throw Problem(.tooManyRequests, "this account sends too many mails; come again later")
            .with(.retryAfter, "\(wait)")
    }

    /// Counts a request of a neighbourhood; one that is refused counts nowhere.
    ///
    /// - Returns: how many seconds to wait; `nil` for what may be asked.
    func take(_ kind: Kind, _ neighbourhood: String, now: MonotonicTime) -> Int? {
        let blocks = AddressBlock.around(neighbourhood)
        return state.withLock { state in
            for block in blocks {
                guard let buckets = state.ofBlocks[kind.own]?[block.share] else { continue }
                if !buckets.hasAny(block.name, now: now) {
                    return max(1, Int((1 / buckets.perSecond).rounded(.up)))
                }
            }
            guard let all = state.ofAll[kind], let widest = blocks.last,
                let network = state.ofBlocks[kind.own]?[widest.share]
            else { return 1 }
            guard all.hasAny("", now: now),
                all.rest("", now: now) > Self.reserve || network.rest(widest.name, now: now) >= Self.quiet
            else { return 1 }
            for block in blocks { _ = state.ofBlocks[kind.own]?[block.share]?.take(block.name, now: now) }
            _ = state.ofAll[kind]?.take("", now: now)
            return nil
        }
    }
}
