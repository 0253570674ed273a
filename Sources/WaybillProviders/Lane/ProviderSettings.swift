package import WaybillTLS

/// What an operator sets of a lane for its provider alone: the same closed set as ``Provider``.
package enum ProviderSettings: Hashable, Sendable {
    case apns(APNSLaneSettings)
    case fcm(FCMLaneSettings)

    /// What its rules need to know.
    package var rules: Provider {
        switch self {
        case .apns(let settings): .apns(settings.rules)
        case .fcm(let settings): .fcm(settings.rules)
        }
    }

    /// Where the provider listens.
    package var endpoint: LaneEndpoint {
        switch self {
        case .apns(let settings): LaneEndpoint(settings.rules.environment)
        case .fcm: .fcm
        }
    }

    /// The file with the key, which nobody but its owner may read; `nil` where there is none.
    package var keyFile: String? {
        switch self {
        case .apns(let settings): settings.keyFile
        case .fcm(let settings): settings.serviceAccountFile
        }
    }

    /// What a connection proves itself with; `nil` where each request does.
    package var identity: TLSIdentity? {
        switch self {
        case .apns(let settings): settings.identity
        case .fcm: nil
        }
    }
}
