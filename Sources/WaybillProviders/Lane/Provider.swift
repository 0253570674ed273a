package import WaybillCore

/// A push service, with what its rules need to know of a lane: a closed set, decided for each lane at the start.
package enum Provider: Hashable, Sendable {
    case apns(APNSLane)
    case fcm(FCMLane)

    package var name: ProviderName {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        }
    }

    /// Which of its worlds a lane's device tokens belong to; `nil` where it has but one.
    package var environment: Environment? {
        switch self {
        case .apns(let rules): rules.environment
        case .fcm: nil
        }
    }

    /// The app that a lane sends to, as devices are registered under: the bundle id at APNs, the project at FCM.
    package var app: String {
        switch self {
        case .apns(let rules): APNSTopic.app(of: rules.bundleID)
        case .fcm(let rules): rules.project
        }
    }

    /// The words with which the provider refuses a notification, as far as they are known.
    package var refusalWords: [String] {
        switch self {
        case .apns: APNSReasonWords.all
        case .fcm: FCMReasonWords.all
        }
    }

    /// The member of a message that says which kind of push an item is (``Notification/kind``).
    package var kindField: StaticString {
        switch self {
        case .apns: Field.pushType.name
        case .fcm: Field.deliveryType.name
        }
    }
}
