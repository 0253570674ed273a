package import Logging
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
import WaybillProviders
package import WaybillSettings

extension PipelineContext {
    /// Makes what the stages of one pipeline share; connects to nothing.
    ///
    /// - Parameters:
    ///   - configuration: everything it works with.
    ///   - logThreads: how many of them there are, at least 1.
    ///   - logger: what the stages talk to.
    /// - Throws: `AMQPError` for a broker's address that cannot work, `ThreadError` when the system is out of descriptors,
    ///   `OwnerOnlyFile.Problem` for keys of receipts that cannot be used any more.
    package init(configuration: WaybillConfiguration, logThreads: Int, logger: Logger) throws {
        let broker = configuration.broker
        let lanes = configuration.lanes.map(\.lane)
        self.init(
            consumingEndpoint: try AMQPEndpoint(broker, role: "consume"),
            publishingEndpoint: try AMQPEndpoint(broker, role: "publish"),
            queues: QueueNames(prefix: broker.queuePrefix, numberedQueues: broker.dispatchQueues),
            delaySteps: configuration.retry.steps,
            lanes: lanes,
            decoder: BatchDecoder(
                limits: configuration.limits,
                lanes: lanes,
                clientMaxAges: configuration.clients.compactMapValues { client in
                    client.maxAge.map { Int($0.components.seconds) }
                }
            ),
            receipts: try configuration.receipts.map { receipts in
                ReceiptSigner(key: try receipts.readKeys().current, lifetime: receipts.lifetime)
            },
            producers: configuration.producers,
            retryPolicy: configuration.retry,
            retention: configuration.retention,
            maximumInFlight: broker.maxInFlight,
            graceTime: configuration.dispatch.graceTime,
            mailboxes: try Mailboxes(logThreads: logThreads),
            breakers: CircuitBreakers(laneCount: lanes.count),
            traffic: LaneTraffic(laneCount: lanes.count),
            storeHealth: StoreHealth(logThreads: logThreads),
            statistics: StatisticsLedger(pace: StatisticsPace(interval: configuration.dispatch.statisticsInterval)),
            statisticsKeeping: StatisticsKeeping(
                minutes: configuration.dispatch.statisticsMinutes,
                hours: configuration.dispatch.statisticsHours
            ),
            counters: DispatchCounters(lanes: lanes),
            logger: logger
        )
    }
}

extension AMQPEndpoint {
    fileprivate init(_ broker: BrokerSettings, role: String) throws {
        try self.init(
            url: broker.url,
            password: broker.password?.value,
            caFile: broker.caFile,
            identity: AMQPIdentity(certificateFile: broker.certificateFile, privateKeyFile: broker.privateKeyFile),
            connectionName: "waybill dispatch (\(role))"
        )
    }
}
