package import Threads

/// What one connection remembers of the provider tokens that it was shown.
///
/// Apple: the first push binds a connection to a team; a token must not change more often than every 20 minutes; an
/// `iat` over an hour old is refused. A token whose signature was good is not verified again while it stays the same.
package struct ProviderTokenGate: Sendable {
    /// The readings of Apple's rules that operators may choose.
    package struct Policy: Sendable {
        /// The least time between two tokens of one connection; `nil` lets them change at will.
        package var minimumUpdateInterval: Duration?
        /// Whether a connection that showed an expired token never takes another, as seen in the field.
        package var expiredTokenSticks: Bool

        package init(minimumUpdateInterval: Duration? = nil, expiredTokenSticks: Bool = false) {
            self.minimumUpdateInterval = minimumUpdateInterval
            self.expiredTokenSticks = expiredTokenSticks
        }
    }

    private let verifier: ProviderTokenVerifier
    private let policy: Policy
    private var accepted: (header: [UInt8], token: ProviderToken, since: MonotonicTime)?
    private var isStuck = false

    package init(verifier: ProviderTokenVerifier, policy: Policy) {
        self.verifier = verifier
        self.policy = policy
    }

    /// Judges the `authorization` header of one request.
    ///
    /// - Parameters:
    ///   - authorization: the header; `nil` when it did not come.
    ///   - seconds: the wall clock, since 1970: what `iat` is compared with.
    ///   - time: the steady clock: what the update interval is measured with.
    /// - Returns: the reason against it, or `nil`.
    package mutating func refusal(
        of authorization: ArraySlice<UInt8>?,
        seconds: Int64,
        time: MonotonicTime
    ) -> DocumentedReason? {
        guard verifier.needsToken else { return nil }
        guard let authorization else { return .missingProviderToken }
        if isStuck { return .expiredProviderToken }
        if let accepted, accepted.header.elementsEqual(authorization) {
            return refusalOfAge(accepted.token, seconds: seconds)
        }
        guard case .success(let token) = verifier.verify(authorization) else { return .invalidProviderToken }
        if let reason = refusalOfAge(token, seconds: seconds) { return reason }
        if let accepted {
            guard accepted.token.keyID == token.keyID, accepted.token.teamID == token.teamID else {
                return .unrelatedKeyID
            }
            if let interval = policy.minimumUpdateInterval, accepted.since.duration(to: time) < interval {
                return .tooManyProviderTokenUpdates
            }
        }
        accepted = (Array(authorization), token, time)
        return nil
    }

    private mutating func refusalOfAge(_ token: ProviderToken, seconds: Int64) -> DocumentedReason? {
        if ProviderTokenVerifier.isCurrent(token, at: seconds) { return nil }
        isStuck = policy.expiredTokenSticks
        return .expiredProviderToken
    }
}

extension MonotonicTime {
    fileprivate func duration(to later: MonotonicTime) -> Duration { later.duration(since: self) }
}
