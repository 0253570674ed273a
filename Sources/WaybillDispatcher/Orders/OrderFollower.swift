import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// The `wb-orders` thread: reads the operators' orders every second and carries out what is new.
///
/// In between it ends what the log has put off of cancelled batches.
///
/// What cannot be read changes nothing: the orders that are in force stay, and it says so once. Where the right to read them is
/// missing from the start, the dispatcher works without.
final class OrderFollower {
    private let context: PipelineContext
    private let reader: OrderReader
    private let driver: ProviderDriver
    private let watch: LoopWatch
    private var batches: CancelledBatches
    private var hasFailed = false
    private var refusals = 0

    /// How long an order may take to be heard of.
    private static let interval = Duration.seconds(1)
    /// So many refusals in a row are a right that is not there.
    private static let refusalsOfARight = 3

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - client: its own as long as the object lives.
    ///   - options: of the log, beside which the orders are.
    ///   - driver: gives back what a lane has not sent yet.
    init(
        context: PipelineContext,
        client: MongoClient,
        options: DeliveryLogOptions,
        driver: ProviderDriver
    ) {
        self.context = context
        watch = context.health.orders
        self.driver = driver
        reader = OrderReader(client: client, database: options.database)
        batches = CancelledBatches(
            context: context,
            deliveries: DeferredDeliveries(client: client, options: options, ledger: context.statistics)
        )
    }

    /// Follows until `isFinishing` says so.
    func run(isFinishing: () -> Bool) {
        while !isFinishing() {
            watch.works()
            read()
            let next = MonotonicTime.now().advanced(by: Self.interval)
            while !isFinishing(), next > .now(), batches.step() { watch.works() }
            watch.waits()
            context.mailboxes.orders.wait(until: next)
        }
    }

    private func read() {
        do throws(MongoError) {
            carryOut(try reader.orders())
            if hasFailed { context.logger.emit(DispatchEvent.ordersRead) }
            hasFailed = false
            refusals = 0
            context.orders.unreadFor = nil
        } catch {
            if error.code == .accessRefused { refusals += 1 }
            // Who has no right to read them has none the next time either; a passing failure is no order.
            if refusals >= Self.refusalsOfARight, !context.orders.areKnown { carryOut(StandingOrders()) }
            context.orders.unreadFor = error.description
            guard !hasFailed else { return }
            hasFailed = true
            context.logger.emit(DispatchEvent.ordersUnread(error.description))
        }
    }

    private func carryOut(_ orders: StandingOrders) {
        let last = context.orders.current
        guard last != orders else { return }
        let known = Set(last?.cancelled ?? [])
        let news = orders.cancelled.filter { !known.contains($0) }
        // The lanes first: once the orders are known, consuming begins.
        for (index, lane) in context.lanes.enumerated() {
            let order = orders.lanes[lane.name]
            guard order != last?.lanes[lane.name] else { continue }
            obey(order, lane: index)
        }
        let ignored = Set(last?.unreadable ?? [])
        for order in orders.unreadable where !ignored.contains(order) {
            context.logger.emit(DispatchEvent.orderIgnored(order))
        }
        context.orders.replace(orders)
        batches.keep(only: Set(orders.cancelled))
        if !news.isEmpty { driver.withdraw { [orders = context.orders] owner in orders.isCancelled(owner) } }
        // Only now: what is put off from here on is not of these batches.
        batches.add(news, atStart: last == nil)
        // Old ones were told of when they were new.
        if last != nil { for cancellation in news { context.logger.emit(DispatchEvent.batchCancelled(cancellation)) } }
        if let last {
            let told = Set(last.lifted)
            for lifted in orders.lifted where !told.contains(lifted) {
                context.logger.emit(DispatchEvent.cancellationLifted(lifted))
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
