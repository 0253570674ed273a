import Logging
import WaybillDeviceRegistry
import WaybillEncoding
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
    case fuseBlown(FuseName, Fuse.Cause)
    case fuseExtended(FuseName, since: Int64)
    case fuseFollowed(Fuse, PruneCounts, isDone: Bool)
    case fuseFull(most: Int)
    case fuseFailed(String)
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
        case .fuseBlown: "prune.fuseBlown"
        case .fuseExtended: "prune.fuseExtended"
        case .fuseFollowed: "prune.fuseFollowed"
        case .fuseFull: "prune.fuseFull"
        case .fuseFailed: "prune.fuseFailed"
        case .progress: "prune.progress"
        case .stopped: "prune.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .consuming, .storeRecovered, .progress, .stopped, .fuseFollowed: .info
        case .brokerFailed, .storeFailed, .malformed, .notBelieved, .earlierLayout, .fuseExtended, .fuseFailed: .warning
        case .storeRefused, .fuseBlown, .fuseFull: .error
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
        case .malformed:
            "A message is not an invalid-token event, or the store refuses it; it goes to the rejected queue"
        case .notBelieved: "Events contradict the delivery log; they are ignored. Who writes to the queue?"
        case .earlierLayout: "The registry has devices in the layout of an earlier release; run waybill devices upgrade"
        case .fuseBlown(_, let cause):
            "Far too many tokens are called dead or wrong: \(cause.words). What they have disabled is taken back within seconds, and nobody more is disabled until a person decides: waybill prune status"
        case .fuseExtended:
            "Answers that were counted late show that the storm began earlier. What they have disabled is taken back within seconds, too"
        case .fuseFollowed(let fuse, _, _):
            fuse.state == .released
                ? "Held events were released and are carried out"
                : "Held events were discarded; nobody is disabled by them"
        case .fuseFull:
            "There is no room for more held events; the rest waits in the broker until a person decides: waybill prune status"
        case .fuseFailed: "The fuses cannot be looked after; trying again"
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
        case .fuseBlown(let name, let cause):
            [
                "lane": "\(name.lane)", "app": "\(name.app)", "invalid": .stringConvertible(cause.invalid),
                "answers": .stringConvertible(cause.answers), "reason": "\(cause.reason ?? "several")",
                "limit_percent": .stringConvertible(cause.limit / 10),
            ]
        case .fuseExtended(let name, let since):
            ["lane": "\(name.lane)", "app": "\(name.app)", "since": "\(TimeText.text(milliseconds: since))"]
        case .fuseFollowed(let fuse, let counts, let isDone):
            [
                "lane": "\(fuse.name.lane)", "app": "\(fuse.name.app)", "by": "\(fuse.decision?.name ?? "")",
                "events": .stringConvertible(counts.released + counts.dropped),
                "disabled": .stringConvertible(counts.afterRelease.disabled), "done": .stringConvertible(isDone),
            ]
        case .fuseFull(let most): ["most": .stringConvertible(most)]
        case .fuseFailed(let reason): ["reason": "\(reason)"]
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
                "malformed": .stringConvertible(counts.malformed), "held": .stringConvertible(counts.held),
                "discarded": .stringConvertible(counts.discarded),
            ]
        }
    }
}
