import Logging
import WaybillTelemetry

/// Everything that the worker says, named once: never an address, never what a mail says.
enum HooksEvent: TelemetryEvent {
    case started(carrier: String)
    case storeFailed(String, retryIn: Duration)
    case storeRecovered
    case serverFailed(String, retryIn: Duration)
    case serverRecovered
    case mailSent(id: String, attempt: Int)
    case mailPostponed(id: String, attempt: Int, String, retryIn: Duration)
    case mailGivenUp(id: String, attempt: Int, reason: String)
    case stopped(MailCounts)

    var name: String {
        switch self {
        case .started: "hooks.started"
        case .storeFailed: "hooks.storeFailed"
        case .storeRecovered: "hooks.storeRecovered"
        case .serverFailed: "hooks.serverFailed"
        case .serverRecovered: "hooks.serverRecovered"
        case .mailSent: "hooks.mailSent"
        case .mailPostponed: "hooks.mailPostponed"
        case .mailGivenUp: "hooks.mailGivenUp"
        case .stopped: "hooks.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .started, .storeRecovered, .serverRecovered, .stopped: .info
        case .mailSent: .debug
        case .storeFailed, .serverFailed, .mailPostponed, .mailGivenUp: .warning
        }
    }

    var message: Logger.Message {
        switch self {
        case .started: "Sending the mails that wait"
        case .storeFailed: "The store cannot be used; mails wait"
        case .storeRecovered: "The store can be used again"
        case .serverFailed: "The mail server takes no mail; mails wait"
        case .serverRecovered: "The mail server takes mail again"
        case .mailSent: "A mail has gone"
        case .mailPostponed: "A mail has not gone; it is tried again"
        case .mailGivenUp: "A mail is not tried again"
        case .stopped: "Stopped"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .started(let carrier): ["over": "\(carrier)"]
        case .storeFailed(let reason, let pause), .serverFailed(let reason, let pause):
            ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .storeRecovered, .serverRecovered: [:]
        case .mailSent(let id, let attempt): ["mail": "\(id)", "attempt": .stringConvertible(attempt)]
        case .mailPostponed(let id, let attempt, let reason, let pause):
            [
                "mail": "\(id)", "attempt": .stringConvertible(attempt), "reason": "\(reason)",
                "retry_in": "\(pause.logText)",
            ]
        case .mailGivenUp(let id, let attempt, let reason):
            ["mail": "\(id)", "attempt": .stringConvertible(attempt), "reason": "\(reason)"]
        case .stopped(let counts):
            [
                "sent": .stringConvertible(counts.sent), "postponed": .stringConvertible(counts.postponed),
                "given_up": .stringConvertible(counts.givenUp),
            ]
        }
    }
}
