package import WaybillTLS

/// One way to a provider, as its operator sets it: what any of them has, and the provider's own.
package struct LaneSettings: Sendable {
    /// What messages call the lane.
    package var name: String
    /// The limit on the age of notifications that neither the message nor its client sets; `nil` for none.
    package var maxAge: Duration?
    /// The expiration of alerts, and of messages for FCM, that name none; `nil` for the default.
    package var expiration: LaneExpiration?
    /// Which of its pushes carry capabilities for receipts.
    package var receipts: ReceiptRule
    /// The most connections the lane may hold.
    package var connections: Int
    /// Only for a simulator or a relay; `nil` means the provider's own.
    package var endpoint: LaneEndpoint?
    /// PEM file with the authorities for the endpoint; `nil` means the system's.
    package var trustFile: String?
    package var provider: ProviderSettings

    package init(
        name: String,
        maxAge: Duration? = nil,
        expiration: LaneExpiration? = nil,
        receipts: ReceiptRule = .unavailable,
        connections: Int = 2,
        endpoint: LaneEndpoint? = nil,
        trustFile: String? = nil,
        provider: ProviderSettings
    ) {
        self.name = name
        self.maxAge = maxAge
        self.expiration = expiration
        self.receipts = receipts
        self.connections = connections
        self.endpoint = endpoint
        self.trustFile = trustFile
        self.provider = provider
    }

    /// What decoding, sending and recording need to know.
    package var lane: Lane {
        Lane(
            name: name,
            maxAge: maxAge.map { Int($0.components.seconds) },
            expiration: expiration,
            receipts: receipts,
            provider: provider.rules
        )
    }

    /// Where the lane's requests go.
    package var effectiveEndpoint: LaneEndpoint { endpoint ?? provider.endpoint }

    /// Who may vouch for the endpoint.
    package var trust: TLSTrust { trustFile.map { .file($0) } ?? .system }
}
