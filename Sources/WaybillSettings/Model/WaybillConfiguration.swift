package import WaybillCore
package import WaybillEncoding
package import WaybillProviders

/// Everything an operator can set: one file serves every command.
package struct WaybillConfiguration: Sendable {
    package var broker: BrokerSettings
    package var store: StoreSettings
    package var retention: RetentionPolicy
    /// At least one; names are unique.
    ///
    /// The first is the default for messages that name none.
    package var lanes: [LaneSettings]
    /// By client name, exactly as messages spell it.
    package var clients: [ExactName: ClientSettings]
    /// The apps that clients may reach.
    package var reach: ClientReach
    /// Who may send as whom; `nil` asks nobody.
    package var producers: ProducerRules?
    package var admin: AdminSettings
    /// `nil`: no push carries a capability for receipts.
    package var receipts: ReceiptSettings?
    package var limits: DecodingLimits
    package var retry: RetryPolicy
    package var dispatch: DispatchSettings
    package var fanout: FanoutTuning

    package init(
        broker: BrokerSettings,
        store: StoreSettings,
        retention: RetentionPolicy,
        lanes: [LaneSettings],
        clients: [ExactName: ClientSettings] = [:],
        reach: ClientReach = ClientReach(),
        producers: ProducerRules? = nil,
        admin: AdminSettings = AdminSettings(),
        receipts: ReceiptSettings? = nil,
        limits: DecodingLimits = DecodingLimits(),
        retry: RetryPolicy = RetryPolicy(),
        dispatch: DispatchSettings = DispatchSettings(),
        fanout: FanoutTuning = FanoutTuning()
    ) {
        self.broker = broker
        self.store = store
        self.retention = retention
        self.lanes = lanes
        self.clients = clients
        self.reach = reach
        self.producers = producers
        self.admin = admin
        self.receipts = receipts
        self.limits = limits
        self.retry = retry
        self.dispatch = dispatch
        self.fanout = fanout
    }
}
