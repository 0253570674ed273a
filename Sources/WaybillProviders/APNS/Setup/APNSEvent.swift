import Logging
import WaybillAPNS
import WaybillTelemetry

/// What the dispatcher says of the lanes' connections to APNs.
enum APNSEvent: TelemetryEvent {
    case connected(lane: String, APNSConnectionSnapshot)
    case failed(lane: String, APNSConnectionSnapshot, reason: String)
    case goAway(lane: String, APNSConnectionSnapshot, reason: String)
    case closed(lane: String, APNSConnectionSnapshot, reason: String)
    case credentialsFailed(lane: String, reason: String)

    var name: String {
        switch self {
        case .connected: "dispatch.apnsConnected"
        case .failed: "dispatch.apnsFailed"
        case .goAway: "dispatch.apnsGoAway"
        case .closed: "dispatch.apnsClosed"
        case .credentialsFailed: "dispatch.credentialsFailed"
        }
    }

    var level: Logger.Level {
        switch self {
        case .connected, .goAway, .closed: .info
        case .failed: .warning
        case .credentialsFailed: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .connected: "Connected to APNs"
        case .failed: "No connection to APNs; trying again"
        case .goAway: "APNs asks for a new connection"
        case .closed: "A connection to APNs has ended"
        case .credentialsFailed: "The lane has no provider token to send with"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .connected(let lane, let connection):
            [
                "lane": "\(lane)", "address": "\(connection.address)", "tls": "\(connection.tlsVersion ?? "")",
                "streams": .stringConvertible(connection.settings.last?.maximumStreams ?? 0),
            ]
        case .failed(let lane, let connection, let reason), .goAway(let lane, let connection, let reason),
            .closed(let lane, let connection, let reason):
            [
                "lane": "\(lane)", "address": "\(connection.address)", "reason": "\(reason)",
                "carried": .stringConvertible(connection.carried),
                "seconds": .stringConvertible(connection.age.components.seconds),
                "window_stalls": .stringConvertible(connection.windowStalls),
            ]
        case .credentialsFailed(let lane, let reason): ["lane": "\(lane)", "reason": "\(reason)"]
        }
    }
}
