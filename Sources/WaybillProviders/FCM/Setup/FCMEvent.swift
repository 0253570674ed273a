import Logging
import WaybillFCM
import WaybillTelemetry

/// What the dispatcher says of the lanes' connections to FCM.
enum FCMEvent: TelemetryEvent {
    case connected(lane: String, FCMConnectionSnapshot)
    case failed(lane: String, FCMConnectionSnapshot, reason: String)
    case goAway(lane: String, FCMConnectionSnapshot, reason: String)
    case closed(lane: String, FCMConnectionSnapshot, reason: String)
    case credentialsFailed(lane: String, reason: String)

    var name: String {
        switch self {
        case .connected: "dispatch.fcmConnected"
        case .failed: "dispatch.fcmFailed"
        case .goAway: "dispatch.fcmGoAway"
        case .closed: "dispatch.fcmClosed"
        case .credentialsFailed: "dispatch.accessTokenFailed"
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
        case .connected: "Connected to FCM"
        case .failed: "No connection to FCM; trying again"
        case .goAway: "FCM asks for a new connection"
        case .closed: "A connection to FCM has ended"
        case .credentialsFailed: "The lane has no access token to send with"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .connected(let lane, let connection):
            [
                "lane": "\(lane)", "address": "\(connection.address)", "tls": "\(connection.tlsVersion ?? "")",
                "streams": .stringConvertible(connection.streamLimit),
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
