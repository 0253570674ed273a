package import WaybillThreads

/// Where a lane's bearer tokens come from; shared between lanes and threads.
package protocol PushTokenSource: AnyObject, Sendable {
    /// The token to send with now.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when there may be a token; only if the answer is
    ///     ``TokenAvailability/pending(_:_:)``.
    /// - Returns: the token, or why there is none.
    func token(at now: ClockReading, whenReady: @escaping @Sendable () -> Void) -> TokenAvailability

    /// The service refused the token with this serial.
    ///
    /// - Parameters:
    ///   - serial: the refused token's.
    ///   - refusal: why.
    ///   - sentAt: when the request went out.
    ///   - now: the present.
    ///   - whenReady: called once, on any thread, when there may be another token; not called when none is on its way.
    /// - Returns: what the request can hope for.
    func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        sentAt: MonotonicTime,
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) -> TokenProspect

    /// The service took a request with the token of this serial, the first on its connection.
    func accepted(serial: Int, at now: ClockReading)

    /// Why no successor could be made, also while the token before is still good; `nil` when nothing is wrong.
    var problem: String? { get }
}

/// A bearer token, ready to be sent.
package struct PushToken: Sendable {
    /// Counts the tokens of a source, so that two can be told apart at no cost; above 0.
    package let serial: Int
    /// The value of `authorization`; never logged.
    package let authorization: [UInt8]

    package init(serial: Int, authorization: [UInt8]) {
        self.serial = serial
        self.authorization = authorization
    }
}

/// What a source has for somebody who wants to send.
package enum TokenAvailability: Sendable {
    case token(PushToken)
    /// One is on its way; the text says what is waited for, or why the last attempt to get one was in vain.
    case pending(String, PushObstacle.Kind = .token)
    /// There is none: why, and when it is worth asking again, if that is known.
    case none(String, PushObstacle.Kind = .token, retryAt: MonotonicTime?)
}

/// Why a service refuses a token that was good when it was made.
package enum TokenRefusal: Hashable, Sendable {
    /// It is too old by the service's clock.
    case expired
    /// Tokens change too often: no new one may be shown for a while.
    case throttled
}

/// What a request can hope for whose token was refused.
package enum TokenProspect: Hashable, Sendable {
    /// A newer token is at hand, or being made.
    case successor
    /// The same token is used once more, after a pause.
    case secondChance
    /// The token is refused for good, and there is no other yet.
    case none
}
