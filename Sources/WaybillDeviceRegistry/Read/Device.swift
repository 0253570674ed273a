import WaybillCore
import WaybillMongo

/// A device of the registry: what apps have registered, and what pruning has made of it.
///
/// Times are milliseconds since 1970. What is no text or no time in the store is absent here.
package struct Device: Hashable, Sendable {
    /// What pruning and people have made of a device's token.
    package enum State: String, Hashable, Sendable {
        case enabled
        case suspected
        case disabled
    }

    package var provider: String?
    package var app: String?
    package var environment: String?
    package var token: String?
    package var kind: String?
    /// The app's own installation id.
    package var device: String?
    package var user: String?
    package var tags: [String] = []
    package var locale: String?
    package var timeZone: String?
    package var appVersion: String?
    package var client: String?
    package var registeredAt: Int64?
    package var seenAt: Int64?
    package var isEnabled = true
    package var disabledAt: Int64?
    package var disabledReason: String?
    /// The provider's date of a token's death.
    package var invalidSince: Int64?
    package var suspectedAt: Int64?
    package var suspectedReason: String?
    /// The newest at the end.
    package var history: [DeviceHistoryEvent] = []

    package init(
        provider: DeviceProvider? = .apns,
        app: String?,
        environment: String?,
        token: String?,
        kind: DeviceTokenKind? = .token
    ) {
        self.provider = provider?.rawValue
        self.app = app
        self.environment = environment
        self.token = token
        self.kind = kind?.rawValue
    }

    /// What names it; `nil` if its document does not say that in a form of ours.
    package var address: DeviceAddress? {
        guard let provider = provider.flatMap(DeviceProvider.init), let app, let token else { return nil }
        let known = environment.flatMap(Environment.init)
        guard environment == nil || known != nil else { return nil }
        return DeviceAddress(provider: provider, app: app, environment: known, token: token)
    }

    /// Its token, and where that is good, without anything that is said of the phone.
    var tokenAlone: Device {
        var device = Device(provider: nil, app: app, environment: environment, token: token, kind: nil)
        (device.provider, device.kind) = (provider, kind)
        return device
    }

    package var state: State { !isEnabled ? .disabled : suspectedAt != nil ? .suspected : .enabled }

    /// Since when it is in its state.
    package var since: Int64? {
        switch state {
        case .disabled: disabledAt
        case .suspected: suspectedAt
        case .enabled: registeredAt ?? seenAt
        }
    }

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

    /// Reads a document of either layout.
    init(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        self.init(
            provider: nil,
            app: text(Field.app),
            environment: text(Field.environment),
            token: text(Field.token),
            kind: nil
        )
        provider = text(Field.provider)
        kind = text(Field.kind)
        device = text(Field.device)
        user = text(Field.user)
        tags = document["\(Field.tags)"]?.elements?.compactMap(\.string) ?? []
        locale = text(Field.locale)
        timeZone = text(Field.timeZone)
        appVersion = text(Field.appVersion)
        client = text(Field.client)
        registeredAt = date(Field.registeredAt)
        seenAt = date(Field.seenAt)
        isEnabled = document["\(Field.enabled)"] != .bool(false)
        disabledAt = date(Field.disabledAt)
        disabledReason = text(Field.disabledReason)
        invalidSince = date(Field.invalidSince)
        suspectedAt = date(Field.suspectedAt)
        suspectedReason = text(Field.suspectedReason)
        history =
            document["\(Field.history)"]?.elements?.compactMap(\.document).compactMap(DeviceHistoryEvent.init) ?? []
        if let earlier = EarlierDevice(document) {
            token = earlier.address?.token ?? earlier.deviceToken
            provider = DeviceProvider.apns.rawValue
            app = earlier.address?.app ?? earlier.topic
            kind = DeviceTokenKind.token.rawValue
            isEnabled = disabledAt == nil
        }
    }
}
