/// APNs' answer to one notification: accepted, or refused with a reason.
///
/// A refusal is a value, not an error; ``action`` says what to do about it. "Accepted" is APNs' word and says nothing
/// about the device's screen.
public struct APNSResponse: Hashable, Sendable {
    /// The notification's `apns-id`; of a broadcast, its request id.
    public let apnsID: APNSID
    /// The HTTP status.
    public let status: Int
    /// APNs' word for the refusal, unchanged, known or not; `nil` with 200, or when the answer held none.
    public let reason: APNSReason?
    /// The `timestamp` of a 410, unchanged: the last time APNs knew the device token to be invalid for the topic, in
    /// milliseconds since 1970.
    public let invalidSince: Int64?
    /// How long APNs asks to wait, by its `retry-after`; ``action`` has it in its delay.
    public let retryAfter: Duration?
    /// `apns-unique-id`, which the sandbox alone sends: finds the notification in Apple's Push Notifications Console.
    public let uniqueID: String?
    /// `apns-request-id`, with broadcasts.
    public let requestID: String?
    /// From the request's frame to the answer; the last attempt only.
    public let latency: Duration
    /// The attempts before this answer, oldest first; empty in the common case.
    public let attempts: [APNSAttempt]

    /// Creates a response, for tests of what handles it.
    public init(
        apnsID: APNSID,
        status: Int,
        reason: APNSReason? = nil,
        invalidSince: Int64? = nil,
        retryAfter: Duration? = nil,
        uniqueID: String? = nil,
        requestID: String? = nil,
        latency: Duration = .zero,
        attempts: [APNSAttempt] = []
    ) {
        self.apnsID = apnsID
        self.status = status
        self.reason = reason
        self.invalidSince = invalidSince
        self.retryAfter = retryAfter
        self.uniqueID = uniqueID
        self.requestID = requestID
        self.latency = latency
        self.attempts = attempts
    }

    /// Whether APNs took the notification.
    public var isAccepted: Bool { answer.verdict == .accepted }

    /// What to do next.
    public var action: APNSAction { answer.action }

    private var answer: APNSAnswer {
        APNSAnswer(status: status, reason: reason, timestamp: invalidSince, retryAfter: retryAfter)
    }

    /// Whether to stop sending to the device token, given when the app registered it.
    ///
    /// A token may have been registered again after APNs last knew it to be invalid; it is then good. A 410 without a
    /// timestamp, which Apple does not document, ends no registration whose date is known: a wrong guess would silence a
    /// live device, and the next push brings the timestamp.
    ///
    /// Source: Apple, "Handling notification responses from APNs".
    ///
    /// - Parameter registeredAt: when the device token was last registered, in **milliseconds** since 1970; `nil` when
    ///   nobody knows.
    /// - Returns: `false` for everything but ``APNSAction/removeToken``.
    public func shouldRemoveToken(registeredAt: Int64?) -> Bool {
        guard action == .removeToken else { return false }
        guard let registeredAt else { return true }
        guard let invalidSince else { return false }
        return registeredAt <= invalidSince
    }
}

extension APNSResponse: CustomStringConvertible {
    /// The id, the status and the reason.
    public var description: String { "\(apnsID): \(status)\(reason.map { " \($0.rawValue)" } ?? "")" }
}
