import WaybillPushTransport

extension TokenRefusal {
    /// APNs' word for it.
    var reason: APNSReason {
        switch self {
        case .expired: .expiredProviderToken
        case .throttled: .tooManyProviderTokenUpdates
        }
    }
}
