import Logging
import WaybillAMQP
import WaybillAPNS
import WaybillCore
import WaybillDeliveryLog
import WaybillDispatcher
import WaybillMessages
import WaybillProviders
import WaybillSettings
import WaybillThreads

/// The dispatcher's stages on a message's way, each by itself, with neither broker nor provider nor log.
///
/// Each method does one stage's work for one of the sample messages, on what the stage before it would have handed over,
/// and returns how many notifications it handled.
///
/// *Thread:* one at a time.
final class DispatcherStages {
    private let context: PipelineContext
    private let intake: Intake
    private let handler: OutcomeHandler
    private let deliveries: [AMQPDelivery]
    private var messages: [InFlightMessage] = []
    private var answers: [SendEnds] = []
    private var outcomes: [[ItemOutcome]] = []
    private var records: [[DeliveryRecord]] = []
    private var tally = StatisticsTally()
    private var tags = DeliveryTagTracker()
    private var lastTag: UInt64 = 0
    private var tasks: [LogTask] = []
    private var signals: [ConsumerSignal] = []

    /// - Parameters:
    ///   - deliveries: the samples, all good and all of lanes that exist.
    ///   - lanes: of which the first takes messages that name none.
    /// - Throws: when the system is out of descriptors.
    init(deliveries: [AMQPDelivery], lanes: [LaneSettings]) throws {
        context = try Self.makeContext(lanes: lanes)
        intake = Intake(context: context)
        handler = OutcomeHandler(context: context)
        self.deliveries = deliveries
        for delivery in deliveries { try prepare(delivery) }
        // Settled here, once and for all: each finalizer has ended when the first measured round settles it again.
        for items in outcomes { OutcomeRouter.route(items, context: context) }
        context.mailboxes.consumer.drain(into: &signals)
    }

    private static let source = MessageSource(queue: QueueNames(prefix: "waybill").dispatch, isRetry: false)

    private func prepare(_ delivery: AMQPDelivery) throws {
        guard case .accepted(let message) = intake.take(delivery, from: Self.source, epoch: 0) else {
            throw MicroError.unexpected("a bad sample")
        }
        messages.append(message)
        answers.append(Self.allAccepted(message))
        outcomes.append([])
        _ = classify(outcomes.count - 1)
        for case .write(let items) in tasks { outcomes[outcomes.count - 1] = items }
        let entries = outcomes[outcomes.count - 1].map { RecordBuilder.makeEntry(for: $0, lanes: context.lanes) }
        records.append(entries.map(\.record))
    }

    /// From a delivery to a message: decoding included.
    func intake(_ sample: Int) -> Int {
        guard case .accepted(let message) = intake.take(deliveries[sample], from: Self.source, epoch: 0) else {
            return 0
        }
        return message.batch.items.count
    }

    /// From a message to the requests for the provider.
    func plan(_ sample: Int) -> Int {
        let message = messages[sample]
        return SendPlan(
            message,
            lanes: context.lanes,
            policy: context.retryPolicy,
            // The samples' own time, at which nothing is too late.
            now: Samples.timestamp * 1000
        ).requests.count
    }

    /// From the provider's answers to outcomes in the mailbox of a log thread.
    func classify(_ sample: Int) -> Int {
        handler.handle(lane: 0, ends: answers[sample])
        tasks.removeAll(keepingCapacity: true)
        context.mailboxes.logs[0].drain(into: &tasks)
        guard case .write(let items)? = tasks.first else { return 0 }
        return items.count
    }

    /// From outcomes to the entries for the log.
    func record(_ sample: Int) -> Int {
        outcomes[sample].map { RecordBuilder.makeEntry(for: $0, lanes: context.lanes) }.count
    }

    /// From records, and the answer that all of them are new, to the counts of their bulk.
    func count(_ sample: Int) -> Int {
        var minutes = 0
        // Spans lend their elements, as a log thread's do; an array that is a property would copy each.
        let (outcomes, records) = (self.outcomes[sample], self.records[sample])
        let items = outcomes.span
        let made = records.span
        for position in items.indices {
            if RecordBuilder.statisticsMinute(of: items[position]) != nil { minutes += 1 }
        }
        tally.begin(count: made.count)
        for position in made.indices { tally.note(made[position], at: position) }
        let doubtful = tally.count(LogWriteResult()) { _ in false }
        return doubtful.isEmpty ? minutes : 0
    }

    /// From durable outcomes to the acknowledgement that is due.
    func settle(_ sample: Int) -> Int {
        let count = outcomes[sample].count
        lastTag += 1
        tags.take(lastTag, now: .now())
        OutcomeRouter.route(outcomes[sample], context: context)
        // The sample's own finalizer has ended; this one stands for the message.
        context.mailboxes.consumer.settle(
            Finalizer(epoch: 0, deliveryTag: lastTag, itemCount: count, byteCount: 0, lane: nil, part: nil),
            parts: count,
            positions: []
        )
        signals.removeAll(keepingCapacity: true)
        context.mailboxes.consumer.drain(into: &signals)
        for case .settled(let finalizer) in signals { _ = tags.settle(finalizer.deliveryTag, epoch: finalizer.epoch) }
        return tags.takePlan().upTo == lastTag ? count : 0
    }

    /// What a provider says that takes everything.
    private static func allAccepted(_ message: InFlightMessage) -> SendEnds {
        SendEnds(
            message.batch.items.indices.map { position in
                APNSOutcome(
                    owner: message,
                    index: position,
                    result: .answered(APNSAnswer(status: 200)),
                    latency: 42_125_000,
                    attempts: 1
                )
            }
        )
    }

    private static func makeContext(lanes: [LaneSettings]) throws -> PipelineContext {
        // Neither is ever connected to.
        let broker = BrokerSettings(url: "amqp://127.0.0.1:1")
        let store = StoreSettings(url: Secret("mongodb://127.0.0.1:1"), displayURL: "none")
        return try PipelineContext(
            configuration: WaybillConfiguration(
                broker: broker,
                store: store,
                retention: RetentionPolicy(default: .keep),
                lanes: lanes
            ),
            logThreads: 1,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
