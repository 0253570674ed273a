package import WaybillCore

/// One way to a provider, as decoding, sending and recording see it; its keys and connections are the provider's business.
package struct Lane: Hashable, Sendable {
    /// What messages and records call it.
    package var name: String
    /// The limit on the age of notifications that neither the message nor its client sets, in seconds; `nil` for none.
    package var maxAge: Int?
    /// The expiration of alerts, and of messages for FCM, that name none; `nil` for the default.
    package var expiration: LaneExpiration?
    /// Whether its pushes may carry capabilities for receipts, and which do.
    package var receipts: ReceiptRule
    /// Whose rules its notifications follow.
    package var provider: Provider

    package init(
        name: String,
        maxAge: Int? = nil,
        expiration: LaneExpiration? = nil,
        receipts: ReceiptRule = .unavailable,
        provider: Provider
    ) {
        self.name = name
        self.maxAge = maxAge
        self.expiration = expiration
        self.receipts = receipts
        self.provider = provider
    }

    /// Which of the provider's worlds its device tokens belong to; `nil` where it has but one.
    package var environment: Environment? {
        provider.environment
    }
}
