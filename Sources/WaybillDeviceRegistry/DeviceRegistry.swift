/// The `devices` collection: one document per device token, topic and environment.
///
/// | field | type | written by | meaning |
/// |---|---|---|---|
/// | `device_token` | string | both | lower-case hexadecimal |
/// | `topic` | string | both | the topic of its pushes, with its suffix |
/// | `environment` | string | both | `production` or `sandbox` |
/// | `client` | string | both | whose device it is; absent if the batch named nobody |
/// | `registered_at` | date | registration | when the app registered last; absent in a tombstone |
/// | `disabled_at` | date | pruning | when the refusal was observed; **absent = may be pushed to** |
/// | `disabled_reason` | string | pruning | the provider's word |
/// | `invalid_since` | date | pruning | since when the provider has known the token to be dead |
/// | `suspected_at` | date | pruning | when a refusal was observed that may be a mistake of ours |
/// | `suspected_reason` | string | pruning | the provider's word |
///
/// Whoever registers a device sets `registered_at` and unsets the fields of pruning, in one update. Pruning sets its own
/// fields and `client` of a new document, and never erases anything.
enum DeviceRegistry {
    static let collection = "devices"

    enum Field {
        static let deviceToken: StaticString = "device_token"
        static let topic: StaticString = "topic"
        static let environment: StaticString = "environment"
        static let client: StaticString = "client"
        static let registeredAt: StaticString = "registered_at"
        static let disabledAt: StaticString = "disabled_at"
        static let disabledReason: StaticString = "disabled_reason"
        static let invalidSince: StaticString = "invalid_since"
        static let suspectedAt: StaticString = "suspected_at"
        static let suspectedReason: StaticString = "suspected_reason"
    }
}
