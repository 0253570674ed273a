import Logging
import WaybillAudience
import WaybillTelemetry

/// Everything that the fan-out says, named once.
enum FanoutEvent: TelemetryEvent {
    case consuming(queue: String, waiting: Int)
    case brokerFailed(String, retryIn: Duration)
    case brokerBlocked(String)
    case brokerUnblocked(after: Duration)
    case storeFailed(String, retryIn: Duration)
    case rejected(reason: String, detail: String)
    case begun(audience: String, client: String)
    case ended(
        audience: String,
        state: AudienceRecord.State,
        handedOver: Int,
        leftOut: AudienceLeftOut,
        reason: String?
    )
    case devicesRefused(audience: String, client: String, count: Int, examples: [String])
    case held(audience: String)
    case pageRepeated(audience: String, count: Int)
    case pageCut(audience: String, count: Int, retryIn: Duration)
    case skipped(audience: String, reason: String)
    case lost(count: Int)
    case stopped

    var name: String {
        switch self {
        case .consuming: "fanout.consuming"
        case .brokerFailed: "fanout.brokerFailed"
        case .brokerBlocked: "fanout.brokerBlocked"
        case .brokerUnblocked: "fanout.brokerUnblocked"
        case .storeFailed: "fanout.storeFailed"
        case .rejected: "fanout.rejected"
        case .begun: "fanout.begun"
        case .ended: "fanout.ended"
        case .devicesRefused: "fanout.devicesRefused"
        case .held: "fanout.held"
        case .pageRepeated: "fanout.pageRepeated"
        case .pageCut: "fanout.pageCut"
        case .skipped: "fanout.skipped"
        case .lost: "fanout.lost"
        case .stopped: "fanout.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .consuming, .brokerUnblocked, .begun, .ended, .held, .stopped: .info
        case .pageRepeated, .pageCut, .lost: .notice
        case .brokerFailed, .brokerBlocked, .storeFailed, .rejected, .devicesRefused, .skipped: .warning
        }
    }

    var message: Logger.Message {
        switch self {
        case .consuming: "Consuming audience messages"
        case .brokerFailed: "The broker cannot be used; trying again"
        case .brokerBlocked: "The broker takes no messages because of a resource alarm; audiences wait"
        case .brokerUnblocked: "The broker takes messages again"
        case .storeFailed: "The store cannot be used; audiences wait"
        case .rejected: "An audience message cannot be used; it goes to the rejected queue"
        case .begun: "An audience is expanded"
        case .ended: "An audience has ended"
        case .devicesRefused: "Devices are sent nothing: their documents say nothing for certain"
        case .held: "An audience is held; nothing more of it is handed over until it is resumed"
        case .pageRepeated: "A page is published once more: nobody knows whether the broker has it"
        case .pageCut: "The query for an audience's page has met its time limit; retrying"
        case .skipped: "An audience can be neither expanded nor ended, and is left alone"
        case .lost: "Audiences are left to whoever has taken them over"
        case .stopped: "Stopped"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .consuming(let queue, let waiting): ["queue": "\(queue)", "waiting": .stringConvertible(waiting)]
        case .brokerFailed(let reason, let pause), .storeFailed(let reason, let pause):
            ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .brokerBlocked(let reason): ["reason": "\(reason)"]
        case .brokerUnblocked(let length): ["after": "\(length.logText)"]
        case .rejected(let reason, let detail): ["reason": "\(reason)", "detail": "\(detail)"]
        case .begun(let audience, let client): ["audience": "\(audience)", "client": "\(client)"]
        case .ended(let audience, let state, let handedOver, let leftOut, let reason):
            [
                "audience": "\(audience)", "state": "\(state.rawValue)", "reason": "\(reason ?? "")",
                "handed_over": .stringConvertible(handedOver),
                "without_lane": .stringConvertible(leftOut.withoutLane),
                "without_content": .stringConvertible(leftOut.withoutContent),
            ]
        case .devicesRefused(let audience, let client, let count, let examples):
            [
                "audience": "\(audience)", "client": "\(client)", "devices": .stringConvertible(count),
                "examples": "\(examples.joined(separator: "; "))",
            ]
        case .held(let audience): ["audience": "\(audience)"]
        case .pageRepeated(let audience, let count):
            ["audience": "\(audience)", "notifications": .stringConvertible(count)]
        case .pageCut(let audience, let count, let pause):
            ["audience": "\(audience)", "count": .stringConvertible(count), "retry_in": "\(pause.logText)"]
        case .skipped(let audience, let reason): ["audience": "\(audience)", "reason": "\(reason)"]
        case .lost(let count): ["audiences": .stringConvertible(count)]
        case .stopped: [:]
        }
    }
}
