import WaybillFleet
import WaybillMongo
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// What the `wb-orders` thread is told.
enum OrderSignal: Sendable {
    case end
}

/// The `wb-orders` thread: reads the operators' orders every second and carries out what is new.
///
/// What cannot be read changes nothing: the orders that are in force stay. Without the right to read them it says so once, and
/// the dispatcher works without.
final class OrderFollower {
    private let context: PipelineContext
    private let reader: OrderReader
    private let driver: ProviderDriver
    private let mailbox: Mailbox<OrderSignal>
    private var isRefused = false

    /// How long an order may take to be heard of.
    private static let interval = Duration.seconds(1)

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - mailbox: tells it to end.
    ///   - client: its own as long as the object lives.
    ///   - database: where the orders are.
    ///   - driver: gives back what a lane has not sent yet.
    init(
        context: PipelineContext,
        mailbox: Mailbox<OrderSignal>,
        client: MongoClient,
        database: String,
        driver: ProviderDriver
    ) {
        self.context = context
        self.mailbox = mailbox
        self.driver = driver
        reader = OrderReader(client: client, database: database)
    }

    /// Follows until it is told to end.
    func run() {
        var signals: [OrderSignal] = []
        while signals.isEmpty {
            read()
            mailbox.wait(until: .now().advanced(by: Self.interval))
            mailbox.drain(into: &signals)
        }
    }

    private func read() {
        do throws(MongoError) {
            carryOut(try reader.orders())
        } catch {
            guard error.code == .accessRefused, !isRefused else { return }
            isRefused = true
            context.logger.emit(DispatchEvent.ordersRefused(error.description))
            if !context.orders.areKnown { carryOut(StandingOrders()) }
        }
    }

    private func carryOut(_ orders: StandingOrders) {
        let last = context.orders.replace(orders)
        guard last != orders else { return }
        for (index, lane) in context.lanes.enumerated() {
            let order = orders.lanes[lane.name]
            guard order != last?.lanes[lane.name] else { continue }
            obey(order, lane: index)
        }
        for cancellation in orders.cancelled where last?.cancelled.contains(cancellation) != true {
            // An old one was told of when it was new.
            if last != nil { context.logger.emit(DispatchEvent.batchCancelled(cancellation)) }
        }
        // What waits for a stream has been planned before the order came; on its way back it is looked at again.
        if last?.cancelled != orders.cancelled, orders.hasCancellations {
            for (index, activity) in driver.activities.enumerated() where activity.waiting > 0 {
                driver.withdraw(lane: index)
            }
        }
        context.mailboxes.consumer.send(.reconsider)
    }

    private func obey(_ order: LaneOrder?, lane: Int) {
        guard let order, order.state != .open else {
            if context.breakers.release(lane: lane), let order {
                context.logger.emit(DispatchEvent.laneOrdered(order))
            }
            return
        }
        context.breakers.hold(lane: lane, by: order)
        if order.state == .paused { driver.withdraw(lane: lane) }
        context.logger.emit(DispatchEvent.laneOrdered(order))
    }
}
