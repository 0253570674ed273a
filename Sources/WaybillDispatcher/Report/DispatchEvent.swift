import Logging
import WaybillCore
import WaybillFleet
import WaybillMessages
import WaybillTelemetry

/// Everything that the dispatcher says, named once.
enum DispatchEvent: TelemetryEvent {
    case started(lanes: Int, queue: String)
    case connectionsLimited(wanted: Int, allowed: Int, descriptors: Int)
    case brokerConnected(queue: String, waiting: Int)
    case brokerFailed(String, retryIn: Duration)
    case brokerBlocked(String)
    case brokerUnblocked
    case consumerCancelled(queue: String)
    case backlogGivenBack(messages: Int, bytes: Int)
    case storeFailed(String)
    case storeRecovered
    case statisticsFailed(String)
    case statisticsRecovered
    case statisticsRecounted(minutes: Int, frozen: Int)
    case recordRefused(count: Int, givenUp: Int, reason: String)
    case repeatRefused(NotificationID, reason: String)
    case repeatedByProducer(count: Int, of: MessageNames)
    case bodyRejected(RejectedBody)
    case unknownClient(String, nearest: String?, retention: RetentionPolicy.Unknown)
    case laneParked(lane: String, reason: String, pause: Duration)
    case laneOpened(lane: String)
    case laneSlow(lane: String)
    case laneOrdered(LaneOrder)
    case batchCancelled(Cancellation)
    case cancellationLifted(LiftedCancellation)
    case publishedAfterCancellation(Cancellation, at: Int64)
    case deferredCancelled(Cancellation, count: Int)
    case deferredNotCancelled(String)
    case ordersUnread(String)
    case ordersRead
    case orderIgnored(UnreadableOrder)
    case publicationFailed(queue: String, reason: String)
    case progress(DispatchCounters.Snapshot, inFlight: Int, perSecond: Int)
    case draining(inFlight: Int)
    case graceTimeOver(inFlight: Int)
    case stopped(DispatchCounters.Snapshot)

    var name: String {
        switch self {
        case .started: "dispatch.started"
        case .connectionsLimited: "dispatch.connectionsLimited"
        case .brokerConnected: "dispatch.brokerConnected"
        case .brokerFailed: "dispatch.brokerFailed"
        case .brokerBlocked: "dispatch.brokerBlocked"
        case .brokerUnblocked: "dispatch.brokerUnblocked"
        case .consumerCancelled: "dispatch.consumerCancelled"
        case .backlogGivenBack: "dispatch.backlogGivenBack"
        case .storeFailed: "dispatch.storeFailed"
        case .storeRecovered: "dispatch.storeRecovered"
        case .statisticsFailed: "dispatch.statisticsFailed"
        case .statisticsRecovered: "dispatch.statisticsRecovered"
        case .statisticsRecounted: "dispatch.statisticsRecounted"
        case .recordRefused: "dispatch.recordRefused"
        case .repeatRefused: "dispatch.repeatRefused"
        case .repeatedByProducer: "dispatch.repeatedByProducer"
        case .bodyRejected: "dispatch.bodyRejected"
        case .unknownClient: "dispatch.unknownClient"
        case .laneParked: "dispatch.laneParked"
        case .laneOpened: "dispatch.laneOpened"
        case .laneSlow: "dispatch.laneSlow"
        case .laneOrdered: "dispatch.laneOrdered"
        case .batchCancelled: "dispatch.batchCancelled"
        case .cancellationLifted: "dispatch.cancellationLifted"
        case .publishedAfterCancellation: "dispatch.publishedAfterCancellation"
        case .deferredCancelled: "dispatch.deferredCancelled"
        case .deferredNotCancelled: "dispatch.deferredNotCancelled"
        case .ordersUnread: "dispatch.ordersUnread"
        case .ordersRead: "dispatch.ordersRead"
        case .orderIgnored: "dispatch.orderIgnored"
        case .publicationFailed: "dispatch.publicationFailed"
        case .progress: "dispatch.progress"
        case .draining: "dispatch.draining"
        case .graceTimeOver: "dispatch.graceTimeOver"
        case .stopped: "dispatch.stopped"
        }
    }

    var level: Logger.Level {
        switch self {
        case .started, .brokerConnected, .brokerUnblocked, .storeRecovered, .laneOpened, .laneOrdered, .batchCancelled,
            .cancellationLifted, .publishedAfterCancellation,
            .deferredCancelled, .ordersRead, .progress, .draining, .stopped, .statisticsRecovered,
            .statisticsRecounted:
            .info
        case .connectionsLimited, .brokerFailed, .brokerBlocked, .backlogGivenBack, .storeFailed, .recordRefused,
            .repeatRefused, .repeatedByProducer, .bodyRejected, .unknownClient, .publicationFailed, .graceTimeOver,
            .laneSlow, .laneParked, .ordersUnread, .orderIgnored, .deferredNotCancelled, .statisticsFailed:
            .warning
        case .consumerCancelled: .error
        }
    }

    var message: Logger.Message {
        switch self {
        case .started: "Dispatching"
        case .connectionsLimited:
            "The lanes may hold fewer connections than they are set to: the limit of file descriptors is too low for all"
        case .brokerConnected: "Connected to the broker"
        case .brokerFailed: "The broker cannot be used; trying again"
        case .brokerBlocked: "The broker takes no messages because of a resource alarm; publications wait"
        case .brokerUnblocked: "The broker takes messages again"
        case .consumerCancelled: "The broker has cancelled the consumer: the queue was deleted or has moved"
        case .backlogGivenBack:
            "The broker has handed out more than fits: messages are larger than before. Taking them again, fewer at a time"
        case .storeFailed: "The store does not take records; nothing new is sent until it does"
        case .storeRecovered: "The store takes records again"
        case .statisticsFailed: "The store does not take statistics; records go on, and what is missing is recounted"
        case .statisticsRecovered: "The store takes statistics again"
        case .statisticsRecounted: "Minutes whose statistics were in doubt are counted anew, from the records"
        case .recordRefused:
            "The store refuses records for what they hold; after a few tries they go to the rejected queue"
        case .repeatRefused: "The store refuses the repeats of a notification; it is sent once"
        case .repeatedByProducer:
            "A producer has published notifications once more that are recorded already"
        case .bodyRejected(let body):
            Self.message(ofRejection: BodyRejection.Reason(rawValue: body.reason))
        case .unknownClient: "A message names a client that the configuration does not name"
        case .laneSlow:
            "The lane's share is in flight and makes hardly any progress; its next messages wait in the delay queues"
        case .laneParked:
            "The lane is parked: its messages wait in the delay queues, and it is tried again after the pause"
        case .laneOpened: "The provider takes the lane again"
        case .laneOrdered(let order):
            switch order.state {
            case .open: "An operator has opened the lane again"
            case .paused: "An operator has paused the lane: its messages wait in the delay queues"
            case .draining: "An operator drains the lane: what it has is sent, what comes waits in the delay queues"
            }
        case .batchCancelled: "An operator has cancelled a batch: what is not sent yet ends as cancelled"
        case .cancellationLifted: "An operator has lifted a cancellation: what waits of the batch is sent"
        case .publishedAfterCancellation: "A batch was cancelled, and what says that it was published later is sent"
        case .deferredCancelled: "What was put off of a cancelled batch has ended"
        case .deferredNotCancelled: "What was put off of a cancelled batch has no end yet; trying again"
        case .ordersUnread:
            "The orders cannot be read: no lane can be paused here, and no batch cancelled, until they can"
        case .ordersRead: "The orders can be read again"
        case .orderIgnored: "An order cannot be read, and is not followed"
        case .publicationFailed:
            "The broker did not take a publication; trying again. Does the queue exist? See waybill init"
        case .progress: "Progress"
        case .draining: "Stopping: nothing new is taken, what is in flight is finished"
        case .graceTimeOver: "The grace time is over; the broker keeps what is left"
        case .stopped: "Stopped"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .started(let lanes, let queue): ["lanes": .stringConvertible(lanes), "queue": "\(queue)"]
        case .brokerConnected(let queue, let waiting): ["queue": "\(queue)", "waiting": .stringConvertible(waiting)]
        case .connectionsLimited(let wanted, let allowed, let descriptors):
            [
                "wanted": .stringConvertible(wanted), "allowed": .stringConvertible(allowed),
                "descriptors": .stringConvertible(descriptors),
            ]
        case .brokerFailed(let reason, let pause): ["reason": "\(reason)", "retry_in": "\(pause.logText)"]
        case .brokerBlocked(let reason), .storeFailed(let reason), .statisticsFailed(let reason),
            .ordersUnread(let reason), .deferredNotCancelled(let reason):
            ["reason": "\(reason)"]
        case .orderIgnored(let order): ["order": "\(order.name)", "reason": "\(order.reason)"]
        case .brokerUnblocked, .ordersRead, .storeRecovered, .statisticsRecovered: [:]
        case .statisticsRecounted(let minutes, let frozen):
            ["minutes": .stringConvertible(minutes), "frozen": .stringConvertible(frozen)]
        case .consumerCancelled(let queue): ["queue": "\(queue)"]
        case .backlogGivenBack(let messages, let bytes):
            ["messages": .stringConvertible(messages), "bytes": .stringConvertible(bytes)]
        case .recordRefused(let count, let givenUp, let reason):
            [
                "notifications": .stringConvertible(count), "given_up": .stringConvertible(givenUp),
                "reason": "\(reason)",
            ]
        case .repeatRefused(let first, let reason): ["apns_id": "\(first)", "reason": "\(reason)"]
        case .repeatedByProducer(let count, let names):
            names.fields.merging(["notifications": .stringConvertible(count)]) { $1 }
        case .bodyRejected(let body):
            MessageNames(body).fields.merging([
                "reason": "\(body.reason)", "detail": "\(body.detail)", "queue": "\(body.origin.queue ?? "")",
            ]) { $1 }
        case .unknownClient(let client, let nearest, let retention):
            ["client": "\(client)", "records": "\(Self.words(retention))"].merging(
                nearest.map { ["nearest": "\($0)"] } ?? [:]
            ) { $1 }
        case .laneParked(let lane, let reason, let pause):
            ["lane": "\(lane)", "reason": "\(reason)", "pause": "\(pause.logText)"]
        case .laneOpened(let lane), .laneSlow(let lane): ["lane": "\(lane)"]
        case .laneOrdered(let order): Self.fields(of: order.source).merging(["lane": "\(order.lane)"]) { $1 }
        case .batchCancelled(let cancellation):
            Self.fields(of: cancellation.source).merging(Self.names(of: cancellation)) { $1 }
        case .cancellationLifted(let lifted):
            Self.fields(of: lifted.source).merging(Self.names(of: lifted.cancellation)) { $1 }
        case .publishedAfterCancellation(let cancellation, let time):
            Self.names(of: cancellation).merging([
                "seconds_after": .stringConvertible((time - cancellation.source.date) / 1000)
            ]) { $1 }
        case .deferredCancelled(let cancellation, let count):
            [
                "batch_id": "\(cancellation.batch.name)", "client": "\(cancellation.client ?? "")",
                "notifications": .stringConvertible(count),
            ]
        case .publicationFailed(let queue, let reason): ["queue": "\(queue)", "reason": "\(reason)"]
        case .progress(let counters, let inFlight, let perSecond):
            Self.fields(of: counters).merging([
                "in_flight": .stringConvertible(inFlight), "per_second": .stringConvertible(perSecond),
            ]) { $1 }
        case .draining(let inFlight), .graceTimeOver(let inFlight): ["in_flight": .stringConvertible(inFlight)]
        case .stopped(let counters): Self.fields(of: counters)
        }
    }

    private static func names(of cancellation: Cancellation) -> Logger.Metadata {
        ["batch_id": "\(cancellation.batch.name)", "client": "\(cancellation.client ?? "")"]
    }

    private static func fields(of source: OrderSource) -> Logger.Metadata {
        ["by": "\(source.name)"].merging(source.note.map { ["note": "\($0)"] } ?? [:]) { $1 }
    }

    private static func message(ofRejection reason: BodyRejection.Reason?) -> Logger.Message {
        switch reason {
        case .unknownLane: "A message names a lane that is not configured; it goes to the rejected queue"
        case .unknownClient:
            "A message names a client that the configuration does not name; it goes to the rejected queue"
        case .recordRefused: "A notification whose record the store refuses goes to the rejected queue"
        case let reason? where reason.isRefusal: "A producer may not send a message; it goes to the rejected queue"
        default: "A message body cannot be read; it goes to the rejected queue"
        }
    }

    /// What becomes of the records of a client that nobody has named.
    private static func words(_ retention: RetentionPolicy.Unknown) -> String {
        switch retention {
        case .keep: "kept without expiry"
        case .default: "kept as long as retention.default says"
        case .reject: "none; its messages are refused"
        }
    }

    private static func fields(of counters: DispatchCounters.Snapshot) -> Logger.Metadata {
        var fields: Logger.Metadata = [
            "messages": .stringConvertible(counters.messagesTaken),
            "acknowledged": .stringConvertible(counters.messagesAcknowledged),
            "notifications": .stringConvertible(counters.notificationsTaken),
        ]
        for (outcome, count) in counters.recorded.nonzero { fields[outcome.rawValue] = .stringConvertible(count) }
        if counters.bodiesRejected > 0 { fields["bodies_rejected"] = .stringConvertible(counters.bodiesRejected) }
        if !counters.refused.counts.isEmpty { fields["refused"] = "\(counters.refused.text)" }
        if counters.unknownProducers > 0 {
            fields["unknown_producers"] = .stringConvertible(counters.unknownProducers)
        }
        if counters.alreadyRecorded > 0 { fields["already_recorded"] = .stringConvertible(counters.alreadyRecorded) }
        if counters.repeatedByProducer > 0 {
            fields["repeated_by_producer"] = .stringConvertible(counters.repeatedByProducer)
        }
        if counters.reidentified > 0 { fields["reidentified"] = .stringConvertible(counters.reidentified) }
        if counters.tokenEvents > 0 { fields["token_events"] = .stringConvertible(counters.tokenEvents) }
        if counters.retriesPublished > 0 { fields["retries"] = .stringConvertible(counters.retriesPublished) }
        return fields
    }
}
