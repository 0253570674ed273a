import Logging
import WaybillTelemetry

/// What reloading the configuration has to say.
enum ReloadEvent: TelemetryEvent {
    case reloading
    case reloaded
    case refused(String)

    var name: String {
        switch self {
        case .reloading: "service.reloading"
        case .reloaded: "service.reloaded"
        case .refused: "service.reloadRefused"
        }
    }

    var level: Logger.Level {
        switch self {
        case .reloading, .reloaded: .notice
        case .refused: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .reloading: "SIGHUP: reading the configuration again"
        case .reloaded: "Working with the new configuration; what was in flight is finished with the old one"
        case .refused: "The new configuration cannot be used; nothing has changed"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .reloading, .reloaded: [:]
        case .refused(let reason): ["reason": "\(reason)"]
        }
    }
}
