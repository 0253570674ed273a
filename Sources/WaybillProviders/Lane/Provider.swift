package import WaybillCore

/// A push service, with what its rules need to know of a lane: a closed set, decided for each lane at the start.
package enum Provider: Hashable, Sendable {
    case apns(APNSLane)

    package var name: ProviderName {
        switch self {
        case .apns: .apns
        }
    }

    /// Which of its worlds a lane's device tokens belong to.
    package var environment: Environment {
        switch self {
        case .apns(let rules): rules.environment
        }
    }

    /// The words with which the provider refuses a notification, as far as they are known.
    package var refusalWords: [String] {
        switch self {
        case .apns: APNSReasonWords.all
        }
    }

    /// The member of a message that says which kind of push an item is (``Notification/kind``).
    package var kindField: StaticString {
        switch self {
        case .apns: Field.pushType.name
        }
    }
}
