import Logging
package import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
package import WaybillProviders
import WaybillThreads

/// The stages on a message's way, each by itself, with neither broker nor provider nor log: what the benchmark measures.
///
/// Each method does one stage's work for one of the sample messages, on what the stage before it would have handed over,
/// and returns how many notifications it handled.
///
/// *Thread:* one at a time.
package final class StageProbe {
    private let context: PipelineContext
    private let intake: Intake
    private let handler: OutcomeHandler
    private let deliveries: [AMQPDelivery]
    private var messages: [InFlightMessage] = []
    private var answers: [SendEnds] = []
    private var outcomes: [[ItemOutcome]] = []
    private var tags = DeliveryTagTracker()
    private var lastTag: UInt64 = 0
    private var tasks: [LogTask] = []
    private var signals: [ConsumerSignal] = []

    /// - Parameters:
    ///   - deliveries: the samples, all good and all of lanes that exist.
    ///   - lanes: of which the first takes messages that name none.
    /// - Throws: when the system is out of descriptors.
    package init(deliveries: [AMQPDelivery], lanes: [Lane]) throws {
        context = try Self.makeContext(lanes: lanes)
        intake = Intake(decoder: context.decoder)
        handler = OutcomeHandler(context: context)
        self.deliveries = deliveries
        for delivery in deliveries { try prepare(delivery) }
    }

    private static let source = MessageSource(queue: QueueNames(prefix: "waybill").dispatch, isRetry: false)

    private func prepare(_ delivery: AMQPDelivery) throws {
        guard case .accepted(let taken) = intake.take(delivery, from: Self.source, epoch: 0) else {
            throw BodyRejection(.empty, "a bad sample")
        }
        // Settled over and over, and never done.
        let finalizer = Finalizer(
            epoch: 0,
            deliveryTag: 0,
            itemCount: .max,
            byteCount: taken.finalizer.byteCount,
            lane: taken.finalizer.lane,
            name: taken.finalizer.name
        )
        let message = InFlightMessage(finalizer: finalizer, batch: taken.batch, origin: taken.origin)
        messages.append(message)
        answers.append(
            SendEnds(acceptedBy: context.lanes[message.batch.lane], owner: message, count: message.batch.items.count)
        )
        outcomes.append([])
        _ = classify(outcomes.count - 1)
        for case .write(let items) in tasks { outcomes[outcomes.count - 1] = items }
    }

    /// From a delivery to a message: decoding included.
    package func intake(_ sample: Int) -> Int {
        guard case .accepted(let message) = intake.take(deliveries[sample], from: Self.source, epoch: 0) else {
            return 0
        }
        return message.batch.items.count
    }

    /// From a message to the requests for the provider.
    package func plan(_ sample: Int) -> Int {
        let message = messages[sample]
        return SendPlan(
            message,
            lanes: context.lanes,
            policy: context.retryPolicy,
            now: message.origin.receivedAt
        ).requests.count
    }

    /// From the provider's answers to outcomes in the mailbox of a log thread.
    package func classify(_ sample: Int) -> Int {
        handler.handle(lane: 0, ends: answers[sample])
        tasks.removeAll(keepingCapacity: true)
        context.mailboxes.logs[0].drain(into: &tasks)
        guard case .write(let items)? = tasks.first else { return 0 }
        return items.count
    }

    /// From outcomes to the entries for the log.
    package func record(_ sample: Int) -> Int {
        outcomes[sample].map { RecordBuilder.makeEntry(for: $0, lanes: context.lanes) }.count
    }

    /// From durable outcomes to the acknowledgement that is due.
    package func settle(_ sample: Int) -> Int {
        let count = outcomes[sample].count
        lastTag += 1
        tags.take(lastTag)
        OutcomeRouter.route(outcomes[sample], context: context)
        // The sample's own finalizer never ends; this one stands for the message.
        context.mailboxes.consumer.settle(
            Finalizer(epoch: 0, deliveryTag: lastTag, itemCount: count, byteCount: 0, lane: nil, name: nil),
            parts: count
        )
        signals.removeAll(keepingCapacity: true)
        context.mailboxes.consumer.drain(into: &signals)
        for case .settled(let finalizer) in signals { _ = tags.settle(finalizer.deliveryTag, epoch: finalizer.epoch) }
        return tags.takePlan().upTo == lastTag ? count : 0
    }

    private static func makeContext(lanes: [Lane]) throws -> PipelineContext {
        // Never connected to.
        let endpoint = try AMQPEndpoint(url: "amqp://127.0.0.1:1", connectionName: "none")
        return PipelineContext(
            consumingEndpoint: endpoint,
            publishingEndpoint: endpoint,
            queues: QueueNames(prefix: "waybill"),
            delaySteps: RetryPolicy.defaultSteps,
            lanes: lanes,
            decoder: BatchDecoder(limits: DecodingLimits(), lanes: lanes),
            retryPolicy: RetryPolicy(),
            retention: RetentionPolicy(default: .keep),
            maximumInFlight: 10_000,
            graceTime: .zero,
            mailboxes: try Mailboxes(logThreads: 1),
            breakers: CircuitBreakers(laneCount: lanes.count),
            traffic: LaneTraffic(laneCount: lanes.count),
            storeHealth: StoreHealth(logThreads: 1),
            counters: DispatchCounters(),
            logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
