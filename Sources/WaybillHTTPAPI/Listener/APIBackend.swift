package import WaybillCore
package import WaybillDeliveryLog
package import WaybillNotifications
package import WaybillSettings

/// What the API asks, as the program gives it.
package struct APIBackend: Sendable {
    /// Where the log is, and how it holds tokens.
    package let log: DeliveryLogOptions
    /// Where rejected messages are.
    package let broker: BrokerSettings
    /// The dispatchers' delay queues.
    package let retry: RetryPolicy
    /// The lanes of the configuration.
    package let lanes: [String]
    /// What campaigns are held to.
    package let campaigns: PostedRules
    /// Whose notifications in the store are that do not say so.
    package let posted: PostedClients
    /// The installation's state as JSON, within seconds whatever hangs.
    package let status: @Sendable () async -> String
    /// Told of a decision that the state shows.
    package let stateHasChanged: @Sendable () -> Void

    package init(
        log: DeliveryLogOptions,
        broker: BrokerSettings,
        retry: RetryPolicy = RetryPolicy(),
        lanes: [String] = [],
        campaigns: PostedRules = PostedRules(client: "notifications", examination: nil),
        ofServices: String? = nil,
        status: @escaping @Sendable () async -> String,
        stateHasChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.broker = broker
        self.retry = retry
        self.lanes = lanes
        self.campaigns = campaigns
        posted = PostedClients(unnamed: campaigns.client, ofServices: ofServices)
        self.status = status
        self.stateHasChanged = stateHasChanged
    }
}
