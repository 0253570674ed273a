/// What APNs' answer asks its sender to do next.
///
/// Sources: Apple, "Handling notification responses from APNs"; the delays are where to begin, and should grow with each
/// attempt, with a random part. A notification is worth nothing after its expiration: then give up instead.
public enum APNSAction: Hashable, Sendable {
    /// Nothing: APNs took the notification.
    case done
    /// Stop sending to this device token, if it was not registered again since: ask
    /// ``APNSResponse/shouldRemoveToken(registeredAt:)``.
    case removeToken
    /// Do not send this again to this token. It may be one of the other environment or of another app: check where it
    /// came from before anything is removed, above all when many tokens meet this.
    case checkToken
    /// Do not send this again as it is: the notification breaks a rule of APNs, named by the reason.
    case fixNotification
    /// Stop: the key, the certificate or the topic is wrong, and every notification would meet the same answer.
    ///
    /// If the reason is about the topic and the notification brought a topic of its own, look there first.
    case fixConfiguration
    /// Send this notification again after a delay; others may go on. The delay is APNs' own where it named one.
    case sendLater(after: Duration)
    /// Hold everything back for a delay, then send again. The delay is APNs' own where it named one.
    case pause(for: Duration)
}

extension APNSAnswer {
    /// What to do next, from what the answer means.
    var action: APNSAction {
        switch verdict {
        case .accepted: .done
        case .tokenDead: .removeToken
        case .tokenSuspect: .checkToken
        // Nothing of this app can be broadcast until somebody switches it on.
        case .requestRefused where reason == .featureNotEnabled || reason == .broadcastFeatureNotEnabled:
            .fixConfiguration
        case .requestRefused: .fixNotification
        case .laneFault: .fixConfiguration
        case .tokenThrottled: .sendLater(after: retryAfter ?? .seconds(60))
        // Apple asks for 15 minutes after a fault of its own. 500 is one request's; 503 says that the service is away.
        case .serverFault:
            status == 503
                ? .pause(for: retryAfter ?? .seconds(900)) : .sendLater(after: retryAfter ?? .seconds(900))
        // No new token is allowed in less than 20 minutes.
        case .providerTokenExpired, .providerTokenThrottled: .pause(for: retryAfter ?? .seconds(1200))
        // The client has tried other connections already.
        case .reconnect: .pause(for: retryAfter ?? .seconds(60))
        }
    }
}
