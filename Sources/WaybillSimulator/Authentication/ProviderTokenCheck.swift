package import WaybillThreads

/// What one connection remembers of the provider tokens that it was shown.
///
/// Apple: the first push binds a connection to a team; a token must not change more often than every 20 minutes; an
/// `iat` over an hour old is refused. A token whose signature was good is not verified again while it stays the same.
package struct ProviderTokenCheck: Sendable {
    /// The readings of Apple's rules that operators may choose.
    package struct Policy: Sendable {
        /// The least time between two tokens of one connection; `nil` lets them change at will.
        package var minimumUpdateInterval: Duration?
        /// Whether a connection that showed an expired token never takes another, as seen in the field.
        package var expiredTokenSticks: Bool
        /// Whether the update interval counts for all connections of a key together, as seen in the field; Apple
        /// documents it for each connection.
        package var countsTogether = false
        /// The age from which a token is expired.
        package var maximumAge = Duration.seconds(3600)
        /// The reason that every token gets, good or bad; `nil` judges them.
        package var reasonForAll: DocumentedReason?

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
    ///   - history: the tokens of the other connections, where they count together.
    /// - Returns: the reason against it, or `nil`.
    package mutating func refusal(
        of authorization: ArraySlice<UInt8>?,
        seconds: Int64,
        time: MonotonicTime,
        history: ProviderTokenHistory? = nil
    ) -> DocumentedReason? {
        guard verifier.needsToken else { return nil }
        if let reason = policy.reasonForAll { return reason }
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
        if policy.countsTogether, let history, let interval = policy.minimumUpdateInterval,
            !history.admits(token, header: authorization, time: time, interval: interval)
        {
            return .tooManyProviderTokenUpdates
        }
        accepted = (Array(authorization), token, time)
        return nil
    }

    private mutating func refusalOfAge(_ token: ProviderToken, seconds: Int64) -> DocumentedReason? {
        if ProviderTokenVerifier.isCurrent(token, at: seconds, maximumAge: policy.maximumAge) { return nil }
        isStuck = policy.expiredTokenSticks
        return .expiredProviderToken
    }
}

extension MonotonicTime {
    fileprivate func duration(to later: MonotonicTime) -> Duration { later.duration(since: self) }
}
