package import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillProviders

/// What names a device of the registry: there is one document of each.
package struct DeviceAddress: Hashable, Sendable {
    package var provider: DeviceProvider
    /// The bundle id, without a topic's suffix; the project at FCM.
    package var app: String
    /// `nil` at FCM, which has no such thing.
    package var environment: Environment?
    /// As the registry holds it: see ``DeviceProvider/token(_:kind:)``.
    package var token: String

    package init(provider: DeviceProvider, app: String, environment: Environment?, token: String) {
        self.provider = provider
        self.app = app
        self.environment = environment
        self.token = token
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.provider == right.provider && left.environment == right.environment
            && left.app.isExactly(right.app) && left.token.isExactly(right.token)
    }

    /// The device that an event is about: at FCM its topic is the project.
    package init(_ event: InvalidTokenEvent) {
        switch ProviderName(ofRecord: event.provider) {
        case .apns: self.init(topic: event.topic, environment: event.environment, token: event.deviceToken)
        case .fcm: self.init(provider: .fcm, app: event.topic, environment: nil, token: event.deviceToken)
        }
    }

    /// The device of a token that gets APNs' pushes under a topic.
    init(topic: String, environment: Environment?, token: String) {
        self.init(provider: .apns, app: APNSTopic.app(of: topic), environment: environment, token: token)
    }

    /// - Returns: `nil` if the document is of the earlier layout, or names none of ours.
    init?(_ document: BSONDocument) {
        guard let token = document["\(DeviceRegistry.Field.token)"]?.string else { return nil }
        self.init(document, token: token)
    }

    /// Of devices that have all but the token in common, which is empty.
    ///
    /// - Returns: `nil` if the document names none of ours.
    init?(group document: BSONDocument) { self.init(document, token: "") }

    private init?(_ document: BSONDocument, token: String) {
        typealias Field = DeviceRegistry.Field
        guard let provider = document["\(Field.provider)"]?.string.flatMap(DeviceProvider.init),
            let app = document["\(Field.app)"]?.string
        else { return nil }
        let environment = document["\(Field.environment)"]?.string
        self.init(provider: provider, app: app, environment: environment.flatMap(Environment.init), token: token)
        if environment != nil, self.environment == nil { return nil }
    }

    /// The last characters of the token: enough to tell devices apart where the token itself must not stand.
    package var tail: String { Self.tail(token) }

    static func tail(_ token: String) -> String { String(token.suffix(8)) }
}
