import Logging
import WaybillCore
import WaybillTelemetry

/// Everything that the schedule says, named once: never what a notification says.
enum ScheduleEvent: TelemetryEvent {
    case started
    case brokerFailed(String, retryIn: Duration)
    case brokerBlocked(String)
    case brokerUnblocked(after: Duration)
    case storeFailed(String, retryIn: Duration)
    case watchFailed(String, retryIn: Duration)
    case refused(notification: String, reason: String)
    case skipped(notification: String, reason: String)
    case unfollowed(notification: String, reason: String)
    case lookCut(String, retryIn: Duration)
    case handedOver(notification: String)
    case ended(notification: String, state: String, handedOver: Int, reason: String?)
    case repeated(id: NotificationID, number: Int, limit: Int)
    case repeatUnreadable(id: String, reason: String)
    case repeatsEnded(id: NotificationID, reason: String)
    case stopped

    var name: String {
        switch self {
        case .started: "schedule.started"
        case .brokerFailed: "schedule.brokerFailed"
        case .brokerBlocked: "schedule.brokerBlocked"
        case .brokerUnblocked: "schedule.brokerUnblocked"
        case .storeFailed: "schedule.storeFailed"
        case .watchFailed: "schedule.watchFailed"
        case .refused: "schedule.refused"
        case .skipped: "schedule.skipped"
        case .unfollowed: "schedule.unfollowed"
        case .lookCut: "schedule.lookCut"
        case .handedOver: "schedule.handedOver"
        case .ended: "schedule.ended"
        case .repeated: "schedule.repeated"
        case .repeatUnreadable: "schedule.repeatUnreadable"
        case .repeatsEnded: "schedule.repeatsEnded"
        case .stopped: "schedule.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .started, .brokerUnblocked, .handedOver, .ended, .repeated, .repeatsEnded, .stopped: .info
        case .watchFailed, .lookCut: .notice
        case .brokerFailed, .brokerBlocked, .storeFailed, .refused, .skipped, .unfollowed, .repeatUnreadable:
            .warning
        }
    }

    var message: Logger.Message {
        switch self {
        case .started: "Looking for notifications to send"
        case .brokerFailed: "The broker cannot be used; notifications wait"
        case .brokerBlocked: "The broker takes no messages because of a resource alarm; notifications wait"
        case .brokerUnblocked: "The broker takes messages again"
        case .storeFailed: "The store cannot be used; trying again"
        case .watchFailed: "The store has no change streams for us; new notifications are looked for instead"
        case .refused: "A notification cannot be sent"
        case .skipped: "A document can be neither sent nor changed, and is left alone"
        case .unfollowed: "A document has a state by which nobody follows it; it is neither sent nor ended"
        case .lookCut: "A query has met its time limit; retrying"
        case .handedOver: "A notification is with the broker"
        case .ended: "A notification has ended"
        case .repeated: "A notification that nobody has acknowledged is sent again"
        case .repeatUnreadable: "What is to be sent again cannot be read; it is left alone"
        case .repeatsEnded: "A notification is not sent again any more"
        case .stopped: "Stopped"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .started, .stopped: [:]
        case .brokerFailed(let reason, let pause), .storeFailed(let reason, let pause),
            .watchFailed(let reason, let pause):
            ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .brokerBlocked(let reason): ["reason": "\(reason)"]
        case .brokerUnblocked(let length): ["after": "\(length.logText)"]
        case .refused(let notification, let reason), .skipped(let notification, let reason),
            .unfollowed(let notification, let reason):
            ["notification": "\(notification)", "reason": "\(reason)"]
        case .lookCut(let look, let pause): ["look": "\(look)", "retry_in": "\(pause.logText)"]
        case .handedOver(let notification): ["notification": "\(notification)"]
        case .repeated(let id, let number, let limit):
            ["apns_id": "\(id)", "number": .stringConvertible(number), "limit": .stringConvertible(limit)]
        case .repeatUnreadable(let id, let reason): ["apns_id": "\(id)", "reason": "\(reason)"]
        case .repeatsEnded(let id, let reason): ["apns_id": "\(id)", "reason": "\(reason)"]
        case .ended(let notification, let state, let handedOver, let reason):
            [
                "notification": "\(notification)", "state": "\(state)", "reason": "\(reason ?? "")",
                "handed_over": .stringConvertible(handedOver),
            ]
        }
    }
}
