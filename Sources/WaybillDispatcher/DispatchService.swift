package import Logging
import ServiceLifecycle
import Synchronization
import WaybillDeliveryLog
import WaybillMessages
import WaybillMongo
import WaybillProviders
package import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// The dispatcher as a service: it runs until a graceful shutdown, drains, and returns.
///
/// The control plane ends here: ``run()`` waits, while all the work is done by the named threads of `Pipeline`.
package struct DispatchService: Service {
    private let pipeline: Pipeline
    private let laneCount: Int
    private let queue: String
    private let logger: Logger
    private let isReplacement: Bool

    /// Builds the pipeline; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: everything it works with.
    ///   - isReplacement: whether another one works until this one does; then it says nothing of its start and end unless it
    ///     has taken over.
    ///   - logger: what it talks to.
    /// - Throws: `AMQPError`, `MongoError`, `TLSError` or a lane's configuration error: a setting that cannot work.
    package init(configuration: WaybillConfiguration, isReplacement: Bool = false, logger: Logger) throws {
        let logThreads = DispatchHealth.logThreads
        let context = try PipelineContext(configuration: configuration, logThreads: logThreads, logger: logger)
        let outcomes = OutcomeHandler(context: context)
        let wanted = configuration.lanes.map(\.connections)
        let allowed = DescriptorBudget.share(wanted, limit: DescriptorBudget.limit)
        if allowed != wanted {
            let (wanted, allowed) = (wanted.reduce(0, +), allowed.reduce(0, +))
            logger.emit(
                DispatchEvent.connectionsLimited(wanted: wanted, allowed: allowed, descriptors: DescriptorBudget.limit)
            )
        }
        let driver = try ProviderDriver(
            lanes: try zip(configuration.lanes, allowed).map { lane, connections in
                LaneSetup(settings: lane, connections: connections, key: try lane.readKey())
            },
            patience: SendPatience(
                request: configuration.dispatch.requestTimeout,
                unreachable: configuration.dispatch.unreachable
            ),
            logger: logger
        ) { lane, ends in
            outcomes.handle(lane: lane, ends: ends)
        }
        outcomes.handleLanes(
            by: OutcomeHandler.LaneHandles(
                withdraw: { [weak driver] lane in driver?.withdraw(lane: lane) },
                obstacle: { [weak driver] lane in driver?.obstacle(lane: lane) },
                overload: { [weak driver] lane in driver?.overload(lane: lane) }
            )
        )
        pipeline = Pipeline(
            context: context,
            driver: driver,
            outcomes: outcomes,
            // One client for each log thread, one for the statistics and one for the orders. The log writer repeats what is not
            // durable, under the same ids, so nobody below it needs to.
            pool: try MongoPool(
                url: configuration.store.url.value,
                applicationName: "waybill dispatch",
                maximumClients: logThreads + 2,
                tls: MongoTLS(
                    caFile: configuration.store.caFile,
                    identity: try configuration.store.readIdentity()
                ),
                repeatsWrites: false
            ),
            logOptions: try configuration.store.makeLogOptions(retention: configuration.retention)
        )
        self.context = context
        self.driver = driver
        troubles = DispatchTroubles(laneCount: context.lanes.count)
        laneCount = context.lanes.count
        queue = context.queues.consumedText
        self.logger = logger
        self.isReplacement = isReplacement
    }

    let context: PipelineContext
    let driver: ProviderDriver
    let troubles: DispatchTroubles

    /// Whether consuming has begun: broker and store have both answered.
    package var isConsuming: Bool { pipeline.hasConsumed }

    /// Asks for an end as a graceful shutdown does: what is in flight is finished within the grace time.
    package func stop() { pipeline.stop() }

    /// Goes on with what another one, with the configuration before this one's, has seen of the lanes of the same names.
    package func inherit(from last: DispatchService) {
        for (index, lane) in context.lanes.enumerated() {
            guard let before = last.context.lanes.firstIndex(where: { $0.name == lane.name }) else { continue }
            context.breakers.inherit(last.context.breakers.history(lane: before), lane: index)
        }
    }

    /// Says that a replacement works now in the place of the one before it.
    package func announce() { logger.emit(DispatchEvent.started(lanes: laneCount, queue: queue)) }

    package func run() async throws {
        if !isReplacement { announce() }
        defer {
            if !isReplacement || pipeline.hasConsumed { logger.emit(DispatchEvent.stopped(pipeline.counters)) }
        }
        try await withGracefulShutdownHandler {
            try await NamedThread.run(name: "wb-consume") { [pipeline] in try pipeline.run() }
        } onGracefulShutdown: {
            pipeline.stop()
        }
    }
}
