/// Tells the pruning worker about a token (`schemas/invalid-token-event.schema.json`).
package struct InvalidTokenEvent: Hashable, Sendable {
    /// The push service's name; `nil` for APNs, which events do not name.
    package var provider: String?
    package var deviceToken: String
    package var reason: String
    package var statusCode: Int
    /// Since when the provider has known the token to be invalid, in milliseconds since 1970; `nil` where it does not say.
    package var invalidSince: Int64?
    /// Milliseconds since 1970.
    package var observedAt: Int64
    package var notificationID: NotificationID
    package var batchID: String
    package var client: String?
    package var lane: String
    /// What the provider calls the app: APNs' topic, FCM's project.
    package var topic: String
    /// `nil` where the provider has none.
    package var environment: Environment?
    package var verdict: TokenVerdict

    package init(
        provider: String? = nil,
        deviceToken: String,
        reason: String,
        statusCode: Int,
        invalidSince: Int64?,
        observedAt: Int64,
        notificationID: NotificationID,
        batchID: String,
        client: String?,
        lane: String,
        topic: String,
        environment: Environment?,
        verdict: TokenVerdict
    ) {
        self.provider = provider
        self.deviceToken = deviceToken
        self.reason = reason
        self.statusCode = statusCode
        self.invalidSince = invalidSince
        self.observedAt = observedAt
        self.notificationID = notificationID
        self.batchID = batchID
        self.client = client
        self.lane = lane
        self.topic = topic
        self.environment = environment
        self.verdict = verdict
    }
}
