import Logging
import WaybillTelemetry

/// What reloading the configuration has to say.
enum ReloadEvent: TelemetryEvent {
    case reloading
    /// What the reload before it waits for.
    case waits(String)
    case reloaded
    case refused(String)

    var name: String {
        switch self {
        case .reloading: "service.reloading"
        case .waits: "service.reloadWaits"
        case .reloaded: "service.reloaded"
        case .refused: "service.reloadRefused"
        }
    }

    var level: Logger.Level {
        switch self {
        case .reloading, .waits, .reloaded: .notice
        case .refused: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .reloading: "SIGHUP: reading the configuration again"
        case .waits: "SIGHUP: another reload is under way; the configuration is read again after it"
        case .reloaded: "Working with the new configuration; what was in flight is finished with the old one"
        case .refused: "The new configuration cannot be used; nothing has changed"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .reloading, .reloaded: [:]
        case .waits(let reason): ["reason": "\(reason)"]
        case .refused(let reason): ["reason": "\(reason)"]
        }
    }
}
