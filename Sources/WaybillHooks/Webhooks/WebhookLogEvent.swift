import Logging
import WaybillTelemetry

/// Everything that is said of webhooks, named once: never a URL, never what an event tells.
enum WebhookLogEvent: TelemetryEvent {
    case readsLog
    case logFailed(String, retryIn: Duration)
    case logRecovered
    case eventsLost
    case sends
    case sendingFailed(String, retryIn: Duration)
    case sendingRecovered
    case delivered(event: String, endpoint: String, attempt: Int, milliseconds: Int)
    case postponed(event: String, endpoint: String, attempt: Int, String, retryIn: Duration)
    case givenUp(event: String, endpoint: String, attempt: Int, reason: String)
    case endpointFails(endpoint: String, reason: String)
    case endpointRecovered(endpoint: String)
    case endpointDisabled(endpoint: String, reason: String)

    var name: String {
        switch self {
        case .readsLog: "hooks.logFollowed"
        case .logFailed: "hooks.logFailed"
        case .logRecovered: "hooks.logRecovered"
        case .eventsLost: "hooks.eventsLost"
        case .sends: "hooks.webhooksStarted"
        case .sendingFailed: "hooks.webhooksFailed"
        case .sendingRecovered: "hooks.webhooksRecovered"
        case .delivered: "hooks.webhookDelivered"
        case .postponed: "hooks.webhookPostponed"
        case .givenUp: "hooks.webhookGivenUp"
        case .endpointFails: "hooks.endpointFailed"
        case .endpointRecovered: "hooks.endpointRecovered"
        case .endpointDisabled: "hooks.endpointDisabled"
        }
    }

    var level: Logger.Level {
        switch self {
        case .readsLog, .logRecovered, .sends, .sendingRecovered, .endpointRecovered: .info
        case .delivered, .postponed: .debug
        case .logFailed, .sendingFailed, .givenUp, .endpointFails, .endpointDisabled: .warning
        case .eventsLost: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .readsLog: "Reading the log for webhooks"
        case .logFailed: "The log cannot be read for webhooks; events wait in it"
        case .logRecovered: "The log can be read for webhooks again"
        case .eventsLost: "The store has forgotten how far the log was read; endpoints miss events"
        case .sends: "Sending webhooks"
        case .sendingFailed: "The store cannot be used; webhooks wait"
        case .sendingRecovered: "The store can be used again"
        case .delivered: "An endpoint has taken an event"
        case .postponed: "An endpoint has not taken an event; it is tried again"
        case .givenUp: "An event is not tried again"
        case .endpointFails: "An endpoint takes nothing"
        case .endpointRecovered: "An endpoint takes events again"
        case .endpointDisabled: "An endpoint is disabled"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .readsLog, .logRecovered, .eventsLost, .sends, .sendingRecovered: [:]
        case .logFailed(let reason, let pause), .sendingFailed(let reason, let pause):
            ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .delivered(let event, let endpoint, let attempt, let milliseconds):
            [
                "webhook_event": "\(event)", "endpoint": "\(endpoint)", "attempt": .stringConvertible(attempt),
                "ms": .stringConvertible(milliseconds),
            ]
        case .postponed(let event, let endpoint, let attempt, let reason, let pause):
            [
                "webhook_event": "\(event)", "endpoint": "\(endpoint)", "attempt": .stringConvertible(attempt),
                "reason": "\(reason)", "retry_in": "\(pause.logText)",
            ]
        case .givenUp(let event, let endpoint, let attempt, let reason):
            [
                "webhook_event": "\(event)", "endpoint": "\(endpoint)", "attempt": .stringConvertible(attempt),
                "reason": "\(reason)",
            ]
        case .endpointFails(let endpoint, let reason), .endpointDisabled(let endpoint, let reason):
            ["endpoint": "\(endpoint)", "reason": "\(reason)"]
        case .endpointRecovered(let endpoint): ["endpoint": "\(endpoint)"]
        }
    }
}
