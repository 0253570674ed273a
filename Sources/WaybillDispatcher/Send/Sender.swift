import WaybillCore
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Hands messages to the providers' driver.
///
/// Called on the consumer's and the log threads (``send(_:)``) and on the driver's (``OutcomeHandler``).
final class Sender: Sendable {
    private let context: PipelineContext
    private let driver: ProviderDriver

    init(context: PipelineContext, driver: ProviderDriver) {
        self.context = context
        self.driver = driver
    }

    /// Sends the items of messages that need sending and settles, or passes on, all the others.
    func send(_ messages: [InFlightMessage]) {
        var batches = SendBatches(laneCount: context.lanes.count)
        var tasks: [LogTask] = []
        var publications: [Publication] = []
        var alreadyRecorded = 0
        let now = WallClock.milliseconds()
        for message in messages {
            let plan = SendPlan(
                message,
                lanes: context.lanes,
                policy: context.retryPolicy,
                now: now,
                receipts: context.receipts,
                canceller: context.orders.cancelled(message)
            )
            if plan.requests.isEmpty {
                if message.isProbe { context.breakers.returnProbe(lane: message.batch.lane, now: .now()) }
            } else {
                if let order = context.orders.outlived(by: message) {
                    context.logger.emit(DispatchEvent.publishedAfterCancellation(order, at: message.origin.time))
                }
                batches.append(plan.requests, owner: message, lane: message.batch.lane)
            }
            let unsent = message.batch.items.count - plan.requests.count
            if unsent > 0 {
                context.traffic.ended(unsent, answered: 0, lane: message.batch.lane, isBulk: message.isBulk)
            }
            if !plan.outcomes.isEmpty { tasks.append(.write(plan.outcomes)) }
            publications += plan.tokenEvents.map {
                Publication(content: .tokenEvent($0.event), finalizer: message.finalizer, positions: [$0.position])
            }
            for (retry, positions) in plan.again {
                publications += Publication.retries(
                    of: message,
                    positions: positions,
                    step: retry.step,
                    pass: retry.pass
                )
            }
            let settled = plan.settled
            alreadyRecorded += settled.count + plan.tokenEvents.count
            if !settled.isEmpty {
                context.mailboxes.consumer.settle(message.finalizer, parts: settled.count, positions: settled)
            }
        }
        if alreadyRecorded > 0 { context.counters.update { $0.alreadyRecorded += alreadyRecorded } }
        driver.submit(batches)
        withdrawWhatWasOrderedMeanwhile(messages)
        context.mailboxes.logs[0].send(tasks)
        context.mailboxes.publisher.send(publications)
    }

    /// A lane may have been paused since its messages were admitted, and a batch cancelled since it was planned.
    private func withdrawWhatWasOrderedMeanwhile(_ messages: [InFlightMessage]) {
        for lane in context.lanes.indices where context.breakers.isPaused(lane: lane) { driver.withdraw(lane: lane) }
        guard messages.contains(where: { context.orders.cancelled($0) != nil }) else { return }
        driver.withdraw { [orders = context.orders] owner in orders.isCancelled(owner) }
    }
}
