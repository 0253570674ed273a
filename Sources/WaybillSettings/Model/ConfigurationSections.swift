package import WaybillCore
package import WaybillEncoding
package import WaybillProviders

/// What was read of a configuration, section by section: a command that needs the store alone has nothing else.
package struct ConfigurationSections: Sendable {
    /// `nil` when the section is absent, or cannot be used.
    package var broker: BrokerSettings?
    /// `nil` when the section is absent, or cannot be used.
    package var store: StoreSettings?
    /// `nil` when the section is absent, or cannot be used.
    package var retention: RetentionPolicy?
    package var lanes: [LaneSettings] = []
    /// By the name in the messages.
    package var clients: [ExactName: ClientSettings] = [:]
    /// Who may send as whom; `nil` asks nobody.
    package var producers: ProducerRules?
    package var admin = AdminSettings()
    /// `nil` when the section is absent, or cannot be used.
    package var serve: ServeSettings?
    /// `nil` when the section is absent, or cannot be used.
    package var mail: MailSettings?
    /// `nil` when nobody is told anything.
    package var webhooks: WebhookSettings?
    /// `nil` when devices say nothing, or the section cannot be used.
    package var receipts: ReceiptSettings?
    package var limits = DecodingLimits()
    package var retry = RetryPolicy()
    package var dispatch = DispatchSettings()
    package var schedule = ScheduleOptions()
    package var fanout = FanoutTuning()
    /// When prune believes push services no more.
    package var prune = FusePolicy()
    package var log = LogSettings()

    package init() {}

    /// The whole configuration; `nil` while a section is absent.
    package var configuration: WaybillConfiguration? {
        guard let broker, let store, let retention, !lanes.isEmpty else { return nil }
        return WaybillConfiguration(
            broker: broker,
            store: store,
            retention: retention,
            lanes: lanes,
            clients: clients,
            reach: reach,
            producers: producers,
            admin: admin,
            receipts: receipts,
            limits: limits,
            retry: retry,
            dispatch: dispatch,
            fanout: fanout
        )
    }
}
