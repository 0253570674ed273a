import Logging
import WaybillTelemetry

/// What keeping a lease has to say.
enum LeaseEvent: TelemetryEvent {
    case failed(String)
    case written

    var name: String {
        switch self {
        case .failed: "lease.failed"
        case .written: "lease.written"
        }
    }

    var level: Logger.Level {
        switch self {
        case .failed: .warning
        case .written: .info
        }
    }

    var message: Logger.Message {
        switch self {
        case .failed:
            "The store does not take this process's lease: waybill status cannot see it; everything else goes on"
        case .written: "The store takes this process's lease again"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .failed(let reason): ["reason": "\(reason)"]
        case .written: [:]
        }
    }
}
