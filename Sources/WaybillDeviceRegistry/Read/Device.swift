import WaybillMongo

/// A device of the registry: what apps have registered, and what pruning has made of it.
///
/// Times are milliseconds since 1970. What is no text or no time in the store is absent here.
package struct Device: Hashable, Sendable {
    /// What pruning has made of a device's token.
    package enum State: String, Hashable, Sendable {
        case enabled
        case suspected
        case disabled
    }

    package var deviceToken: String?
    package var topic: String?
    package var environment: String?
    package var client: String?
    package var registeredAt: Int64?
    package var disabledAt: Int64?
    package var disabledReason: String?
    /// The provider's date of a token's death.
    package var invalidSince: Int64?
    package var suspectedAt: Int64?
    package var suspectedReason: String?

    package init(
        deviceToken: String?,
        topic: String?,
        environment: String?,
        client: String? = nil,
        registeredAt: Int64? = nil,
        disabledAt: Int64? = nil,
        disabledReason: String? = nil,
        invalidSince: Int64? = nil,
        suspectedAt: Int64? = nil,
        suspectedReason: String? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.environment = environment
        self.client = client
        self.registeredAt = registeredAt
        self.disabledAt = disabledAt
        self.disabledReason = disabledReason
        self.invalidSince = invalidSince
        self.suspectedAt = suspectedAt
        self.suspectedReason = suspectedReason
    }

    package var state: State { disabledAt != nil ? .disabled : suspectedAt != nil ? .suspected : .enabled }

    /// Since when it is in its state.
    package var since: Int64? { disabledAt ?? suspectedAt ?? registeredAt }

    /// Why it is not enabled; `nil` when it is.
    package var reason: String? {
        switch state {
        case .enabled: nil
        case .suspected: suspectedReason
        case .disabled: disabledReason
        }
    }
}

extension Device {
    private typealias Field = DeviceRegistry.Field

    init(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        self.init(
            deviceToken: text(Field.deviceToken),
            topic: text(Field.topic),
            environment: text(Field.environment),
            client: text(Field.client),
            registeredAt: date(Field.registeredAt),
            disabledAt: date(Field.disabledAt),
            disabledReason: text(Field.disabledReason),
            invalidSince: date(Field.invalidSince),
            suspectedAt: date(Field.suspectedAt),
            suspectedReason: text(Field.suspectedReason)
        )
    }
}
