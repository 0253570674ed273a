import Logging
import WaybillAMQP
package import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
package import WaybillProviders
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// What the stages share: settings, decisions and each other's mailboxes.
///
/// All of it is immutable or locked.
package struct PipelineContext: Sendable {
    let consumingEndpoint: AMQPEndpoint
    let publishingEndpoint: AMQPEndpoint
    let queues: QueueNames
    let delaySteps: [DelayStep]
    package let lanes: [Lane]
    let decoder: BatchDecoder
    /// Makes the capabilities of pushes that ask for receipts; `nil` where none are made.
    var receipts: ReceiptSigner?
    /// Who may send as whom; `nil` asks nobody.
    var producers: ProducerRules?
    package let retryPolicy: RetryPolicy
    let retention: RetentionPolicy
    /// Notifications in flight at the most.
    let maximumInFlight: Int
    /// How long a stopping dispatcher waits for what is in flight.
    let graceTime: Duration
    package let mailboxes: Mailboxes
    let breakers: CircuitBreakers
    let orders = OrdersInForce()
    let traffic: LaneTraffic
    let storeHealth: StoreHealth
    let statistics: StatisticsLedger
    var statisticsKeeping = StatisticsKeeping()
    let counters: DispatchCounters
    let storeFigures = StoreFigures()
    /// Set when consuming has begun for the first time: broker and store have both answered.
    let hasConsumed = SharedFlag()
    let health = DispatchHealth()
    let outage = OutageTeller()
    /// What the consumer has on its hands.
    let load = ConsumerLoad()
    let logger: Logger
}

extension PipelineContext {
    /// A producer has published notifications once more that are recorded already.
    func warnOfRepeats(_ count: Int, of message: InFlightMessage) {
        counters.update { $0.repeatedByProducer += count }
        logger.emit(DispatchEvent.repeatedByProducer(count: count, of: MessageNames(message)))
    }
}
