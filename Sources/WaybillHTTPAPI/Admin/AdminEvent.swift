import Logging
import WaybillTelemetry

/// What the admin listener has to say.
enum AdminEvent: TelemetryEvent {
    case listening(String)
    case notListening(String, reason: String)

    var name: String {
        switch self {
        case .listening: "admin.listening"
        case .notListening: "admin.notListening"
        }
    }

    var level: Logger.Level {
        switch self {
        case .listening: .info
        case .notListening: .warning
        }
    }

    var message: Logger.Message {
        switch self {
        case .listening: "Metrics and health are offered at this address"
        case .notListening:
            "Metrics and health cannot be offered at this address; trying again, everything else goes on"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .listening(let address): ["address": "\(address)"]
        case .notListening(let address, let reason): ["address": "\(address)", "reason": "\(reason)"]
        }
    }
}
