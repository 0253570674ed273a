import Logging
package import WaybillAMQP
import WaybillAPNS
package import WaybillCore
import WaybillDeliveryLog
import WaybillThreads
import WaybillTopology

/// The stages on a message's way, each by itself, with neither broker nor APNs nor log: what the benchmark measures.
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
    private var tickets: [Ticket] = []
    private var answers: [[APNSOutcome]] = []
    private var outcomes: [[ItemOutcome]] = []
    private var ledger = Ledger()
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

    private static let source = Subscription.Source(queue: "waybill.dispatch", isRetry: false)

    private func prepare(_ delivery: AMQPDelivery) throws {
        guard case .ticket(let taken) = intake.take(delivery, from: Self.source, epoch: 0) else {
            throw BodyRejection(.empty, "a bad sample")
        }
        // Settled over and over, and never done.
        let receipt = Receipt(
            epoch: 0,
            deliveryTag: 0,
            itemCount: .max,
            byteCount: taken.receipt.byteCount,
            lane: taken.receipt.lane,
            name: taken.receipt.name
        )
        let ticket = Ticket(receipt: receipt, batch: taken.batch, origin: taken.origin)
        tickets.append(ticket)
        answers.append(
            ticket.batch.items.indices.map {
                APNSOutcome(
                    owner: ticket,
                    index: $0,
                    result: .answered(APNSAnswer(status: 200)),
                    latency: 42_125_000,
                    attempts: 1
                )
            }
        )
        outcomes.append([])
        _ = classify(outcomes.count - 1)
        for case .write(let items) in tasks { outcomes[outcomes.count - 1] = items }
    }

    /// From a delivery to a ticket: decoding included.
    package func intake(_ message: Int) -> Int {
        guard case .ticket(let ticket) = intake.take(deliveries[message], from: Self.source, epoch: 0) else { return 0 }
        return ticket.batch.items.count
    }

    /// From a ticket to the requests for APNs.
    package func plan(_ message: Int) -> Int {
        let ticket = tickets[message]
        return SendPlan(
            ticket,
            lanes: context.lanes,
            policy: context.retryPolicy,
            now: ticket.origin.receivedAt
        ).requests.count
    }

    /// From APNs' answers to outcomes in the mailbox of a log thread.
    package func classify(_ message: Int) -> Int {
        handler.handle(lane: 0, outcomes: answers[message])
        tasks.removeAll(keepingCapacity: true)
        context.mailboxes.logs[0].drain(into: &tasks)
        guard case .write(let items)? = tasks.first else { return 0 }
        return items.count
    }

    /// From outcomes to the entries for the log.
    package func record(_ message: Int) -> Int {
        outcomes[message].map { RecordBuilder.makeEntry(for: $0, lanes: context.lanes) }.count
    }

    /// From durable outcomes to the acknowledgement that is due.
    package func settle(_ message: Int) -> Int {
        let count = outcomes[message].count
        lastTag += 1
        ledger.take(lastTag)
        SettlementRouter.route(outcomes[message], context: context)
        // The sample's own receipt never ends; this one stands for the message.
        context.mailboxes.settle(
            Receipt(epoch: 0, deliveryTag: lastTag, itemCount: count, byteCount: 0, lane: nil, name: nil),
            parts: count
        )
        signals.removeAll(keepingCapacity: true)
        context.mailboxes.consumer.drain(into: &signals)
        for case .settled(let receipt) in signals { _ = ledger.settle(receipt.deliveryTag, epoch: receipt.epoch) }
        return ledger.takePlan().upTo == lastTag ? count : 0
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
            mailboxes: try StageMailboxes(logThreads: 1),
            gate: LaneGate(laneCount: lanes.count),
            shares: LaneShares(laneCount: lanes.count, maximumInFlight: 10_000),
            storeHealth: StoreHealth(logThreads: 1),
            counters: DispatchCounters(),
            logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
