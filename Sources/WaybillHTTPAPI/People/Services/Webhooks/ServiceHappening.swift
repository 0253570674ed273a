import WaybillAccounts
import WaybillEncoding
import WaybillOutbox

/// What happens to a service, but for what becomes of its notifications, which is in the log.
enum ServiceHappening {
    /// Some of its people were not told of a notification.
    case suppressed(notification: String, people: Int, told: Int)
    /// Somebody has acknowledged a notification.
    case acknowledged(notification: String, account: String)
    case joined(account: String, ServiceRole)
    case changed(account: String, ServiceRole)
    case left(account: String)
    /// A key ends in so many days.
    case keyExpiring(id: String, days: Int64, end: Int64?)
    /// A webhook was disabled that was active since then.
    case webhookDisabled(id: String, activeSince: Int64, cause: String?)

    var type: WebhookEventType {
        switch self {
        case .suppressed: .suppressed
        case .acknowledged: .acknowledged
        case .joined: .memberJoined
        case .changed: .memberChanged
        case .left: .memberLeft
        case .keyExpiring: .keyExpiring
        case .webhookDisabled: .endpointDisabled
        }
    }

    /// As webhooks are told of it: told twice, it is the same event.
    ///
    /// - Parameters:
    ///   - service: the service's id.
    ///   - at: milliseconds since 1970.
    /// - Returns: the event.
    func event(of service: String, at: Int64) -> WebhookEvent {
        WebhookEvent(type, of: "\(service) \(name(at))", date: at) { data in
            data.member("service", service)
            switch self {
            case .suppressed(let notification, let people, let told):
                data.member("notification", notification)
                data.member("suppressed", people)
                data.member("told", told)
            case .acknowledged(let notification, let account):
                data.member("notification", notification)
                data.member("account", account)
            case .joined(let account, let role), .changed(let account, let role):
                data.member("account", account)
                data.member("role", role.rawValue)
            case .left(let account): data.member("account", account)
            case .keyExpiring(let id, _, let end):
                data.member("key", id)
                data.member("expires_at", end.map(TimeText.text(milliseconds:)))
            case .webhookDisabled(let id, _, let cause):
                data.member("webhook", id)
                data.member("reason", cause)
            }
        }
    }

    /// Tells it from all others of its type in the service.
    private func name(_ at: Int64) -> String {
        switch self {
        case .suppressed(let notification, _, _): notification
        case .acknowledged(let notification, let account): "\(notification) \(account)"
        case .joined(let account, _), .changed(let account, _), .left(let account): "\(account) \(at)"
        case .keyExpiring(let id, let days, _): "\(id) \(days)"
        case .webhookDisabled(let id, let activeSince, _): "\(id) \(activeSince)"
        }
    }
}
