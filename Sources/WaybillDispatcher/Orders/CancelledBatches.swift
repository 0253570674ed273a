import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// The cancelled batches whose deferred notifications are still to be ended, and how far that has come.
///
/// Every dispatcher walks through a batch when it has heard of the order, and once more a while later: another one may have put a
/// notification off before it heard of it. They may meet: then both step back, and come again at different times.
///
/// *Thread:* `wb-orders`.
struct CancelledBatches {
    private struct Walk {
        let cancellation: Cancellation
        let order: DeferredDeliveries.Order
        var position: DeferredDeliveries.Position
        var due: MonotonicTime
        var isSecond = false
        var ended = 0
    }

    private let context: PipelineContext
    private let deliveries: DeferredDeliveries
    private var walks: [Walk] = []
    private var hasFailed = false

    /// By then every dispatcher has heard of an order, and written what it had decided before.
    private static let second = Duration.seconds(15)
    private static let pause = Duration.seconds(2)

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - deliveries: of the client of this thread.
    init(context: PipelineContext, deliveries: DeferredDeliveries) {
        self.context = context
        self.deliveries = deliveries
    }

    /// Takes cancellations that are in force.
    ///
    /// - Parameters:
    ///   - cancellations: those that were not known.
    ///   - atStart: whether nothing was known before: then what was put off before an old one has come back since.
    mutating func add(_ cancellations: [Cancellation], atStart: Bool) {
        let now = WallClock.milliseconds()
        let longestDelay = Int64(context.delaySteps.map(\.seconds).max() ?? 0) * 1000
        for cancellation in cancellations where !atStart || now - cancellation.source.date <= longestDelay {
            walks.removeAll {
                $0.cancellation.isSameOrder(as: cancellation)
            }
            let order = DeferredDeliveries.Order(
                batch: cancellation.batch,
                client: cancellation.client,
                source: cancellation.source.name,
                date: cancellation.coversUntil
            )
            walks.append(
                Walk(cancellation: cancellation, order: order, position: .init(order), due: .now())
            )
        }
    }

    /// Ends nothing more of what is not cancelled any more.
    ///
    /// - Parameter cancellations: all that hold.
    mutating func keep(only cancellations: Set<Cancellation>) {
        walks.removeAll { !cancellations.contains($0.cancellation) }
    }

    /// Ends some.
    ///
    /// - Returns: false when nothing is to be done now.
    mutating func step() -> Bool {
        guard let index = walks.firstIndex(where: { $0.due <= .now() }) else { return false }
        do throws(MongoError) {
            let walk = walks[index]
            take(try deliveries.end(walk.order, at: walk.position, now: WallClock.milliseconds()), index)
            hasFailed = false
        } catch {
            if !hasFailed { context.logger.emit(DispatchEvent.deferredNotCancelled(error.description)) }
            hasFailed = true
            stepBack(index)
        }
        return true
    }

    private mutating func take(_ step: DeferredDeliveries.Step, _ index: Int) {
        count(step.ended)
        walks[index].ended += step.ended.values.reduce(0, +)
        guard !step.hasMetAnother else { return stepBack(index) }
        if let next = step.next { return walks[index].position = next }
        let walk = walks[index]
        if walk.ended > 0 {
            context.logger.emit(DispatchEvent.deferredCancelled(walk.cancellation, count: walk.ended))
        }
        guard !walk.isSecond else {
            walks.remove(at: index)
            return
        }
        walks[index].isSecond = true
        walks[index].ended = 0
        walks[index].position = .init(walk.order)
        walks[index].due = .now().advanced(by: Self.second)
    }

    /// Not at the same time as whoever else does so.
    private mutating func stepBack(_ index: Int) {
        walks[index].due = .now().advanced(by: Self.pause * Double.random(in: 0.25...1))
    }

    private func count(_ ended: [String: Int]) {
        guard !ended.isEmpty else { return }
        context.counters.update { counters in
            for (index, lane) in context.lanes.enumerated() {
                if let count = ended[lane.name] { counters.lanes[index].count(.cancelled, count) }
            }
        }
    }
}
