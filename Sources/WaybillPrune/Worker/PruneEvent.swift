import Logging
import WaybillDeviceRegistry
import WaybillTelemetry

/// Everything that the pruning worker says, named once.
enum PruneEvent: TelemetryEvent {
    case consuming(queue: String, waiting: Int)
    case brokerFailed(String, retryIn: Duration)
    case storeFailed(String, retryIn: Duration)
    case storeRefused(String, retryIn: Duration)
    case storeRecovered
    case malformed(reason: String, detail: String)
    case notBelieved(count: Int, id: String, lane: String, reason: String)
    case earlierLayout
    case progress(PruneCounts)
    case stopped(PruneCounts)

    var name: String {
        switch self {
        case .consuming: "prune.consuming"
        case .brokerFailed: "prune.brokerFailed"
        case .storeFailed: "prune.storeFailed"
        case .storeRefused: "prune.storeRefused"
        case .storeRecovered: "prune.storeRecovered"
        case .malformed: "prune.malformed"
        case .notBelieved: "prune.notBelieved"
        case .earlierLayout: "prune.earlierLayout"
        case .progress: "prune.progress"
        case .stopped: "prune.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .consuming, .storeRecovered, .progress, .stopped: .info
        case .brokerFailed, .storeFailed, .malformed, .notBelieved, .earlierLayout: .warning
        case .storeRefused: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .consuming: "Consuming invalid-token events"
        case .brokerFailed: "The broker cannot be used; trying again"
        case .storeFailed: "The store cannot be used; events wait in the broker"
        case .storeRefused:
            "The store refuses what the worker needs; events wait in the broker until somebody changes that"
        case .storeRecovered: "The store can be used again"
        case .malformed: "A message is not an invalid-token event; it goes to the rejected queue"
        case .notBelieved: "Events contradict the delivery log; they are ignored. Who writes to the queue?"
        case .earlierLayout: "The registry has devices in the layout of an earlier release; run waybill devices upgrade"
        case .progress: "Progress"
        case .stopped: "Stopped"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .consuming(let queue, let waiting): ["queue": "\(queue)", "waiting": .stringConvertible(waiting)]
        case .brokerFailed(let reason, let pause), .storeFailed(let reason, let pause),
            .storeRefused(let reason, let pause):
            ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .storeRecovered, .earlierLayout: [:]
        case .malformed(let reason, let detail): ["reason": "\(reason)", "detail": "\(detail)"]
        case .notBelieved(let count, let id, let lane, let reason):
            [
                "events": .stringConvertible(count), "apns_id": "\(id)", "lane": "\(lane.prefix(100))",
                "reason": "\(reason)",
            ]
        case .progress(let counts), .stopped(let counts):
            [
                "events": .stringConvertible(counts.total), "disabled": .stringConvertible(counts.registry.disabled),
                "tombstoned": .stringConvertible(counts.registry.tombstoned),
                "suspected": .stringConvertible(counts.registry.suspected),
                "unknown_device": .stringConvertible(counts.registry.unknownDevice),
                "newer_registration": .stringConvertible(counts.registry.newerRegistration),
                "already": .stringConvertible(counts.registry.already), "unproven": .stringConvertible(counts.unproven),
                "not_believed": .stringConvertible(counts.notBelieved),
                "malformed": .stringConvertible(counts.malformed),
            ]
        }
    }
}
