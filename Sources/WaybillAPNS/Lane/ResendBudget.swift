/// How often one request may be sent again by the driver itself.
///
/// What lasts longer than that is the caller's business:
/// minutes do not belong in memory.
struct ResendBudget: Hashable {
    /// Certainly not taken by APNs: never sent, above GOAWAY's last id, REFUSED_STREAM.
    private(set) var notSent = 3
    /// The connection was at fault: IdleTimeout, Shutdown, UnrelatedKeyIdInToken.
    private(set) var reconnect = 2
    /// ExpiredProviderToken, once a new token is at hand.
    private(set) var token = 1
    /// Sent without an answer, and the request allows a repeat.
    private(set) var unknown = 1

    /// Whether a request that got no answer is sent again; spends the allowance.
    mutating func spend(on failure: APNSFailure, resendsUnknown: Bool) -> Bool {
        switch failure {
        case .notSent: Self.take(&notSent)
        case .unknown: resendsUnknown && Self.take(&unknown)
        }
    }

    /// Whether a request with this answer is sent again; spends the allowance.
    ///
    /// - Parameters:
    ///   - verdict: what the answer means.
    ///   - hasNewToken: a token newer than the refused one is at hand.
    /// - Returns: `false` when the answer is to be handed out.
    mutating func spend(on verdict: APNSVerdict, hasNewToken: Bool) -> Bool {
        switch verdict {
        case .reconnect: Self.take(&reconnect)
        case .providerTokenExpired: hasNewToken && Self.take(&token)
        default: false
        }
    }

    private static func take(_ allowance: inout Int) -> Bool {
        guard allowance > 0 else { return false }
        allowance -= 1
        return true
    }
}
