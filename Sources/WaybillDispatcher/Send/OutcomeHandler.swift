import Synchronization
import WaybillCore
package import WaybillProviders
import WaybillPushTransport
import WaybillTelemetry
import WaybillThreads

/// Turns what the providers' driver reports into outcomes for the log.
///
/// Runs on a driver's thread, once for everything that ended in a turn of its loop. It decides; it never waits.
package final class OutcomeHandler: Sendable {
    private let context: PipelineContext
    private let nextLog = Atomic(0)
    private let isStopping = Atomic(false)
    private let lanes = Guarded<LaneHandles?>(nil)

    package init(context: PipelineContext) {
        self.context = context
    }

    /// What it has to do with the lanes themselves, at the moment when one is parked.
    struct LaneHandles: Sendable {
        /// Takes back what a lane has not sent yet.
        let withdraw: @Sendable (_ lane: Int) -> Void
        /// What keeps a lane from sending.
        let obstacle: @Sendable (_ lane: Int) -> PushObstacle?
        /// The pause that a lane's last answers ask for, several in a row.
        let overload: @Sendable (_ lane: Int) -> Duration?
    }

    /// Says how lanes are to be handled; before the first end.
    func handleLanes(by lanes: LaneHandles) {
        self.lanes.withLock { $0 = lanes }
    }

    /// From now on an item that was not sent, or may be sent again, is left to the broker instead of being recorded.
    func stop() {
        isStopping.store(true, ordering: .releasing)
    }

    /// Decides what follows from ends and hands the outcomes to a log thread.
    package func handle(lane: Int, ends: SendEnds) {
        let now = WallClock.milliseconds()
        let leavesToBroker = isStopping.load(ordering: .acquiring)
        let lanes = context.lanes
        var items: [ItemOutcome] = []
        items.reserveCapacity(ends.count)
        var signs = LaneSigns()
        var answered = 0
        var ofBulk = 0
        var answeredOfBulk = 0
        for index in ends.indices {
            // Sender submits for nobody else.
            guard let message = ends.owner(at: index) as? InFlightMessage else { continue }
            if message.isBulk { ofBulk += 1 }
            if leavesToBroker, ends.isRepeatable(at: index, of: message.batch) { continue }
            let position = ends.position(at: index)
            if let latency = ends.latencyIfAcceptedAtOnce(at: index) {
                answered += 1
                if message.isBulk { answeredOfBulk += 1 }
                signs.note(.sound, isProbe: message.isProbe)
                items.append(makeAccepted(position: position, message: message, latency: latency, now: now))
                continue
            }
            let end = ends.end(at: index, of: message.batch, lanes: lanes)
            if end.kind == .answered {
                answered += 1
                if message.isBulk { answeredOfBulk += 1 }
            }
            signs.note(
                end.disposition.lane,
                isProbe: message.isProbe,
                isLostAgain: message.origin.pass > 1 && context.breakers.isAnswering(lane: lane, now: .now())
            )
            items.append(makeItem(end, position: position, message: message, now: now))
        }
        context.traffic.ended(ends.count - ofBulk, answered: answered - answeredOfBulk, lane: lane)
        if ofBulk > 0 { context.traffic.ended(ofBulk, answered: answeredOfBulk, lane: lane, isBulk: true) }
        updateBreaker(lane: lane, signs.verdict)
        guard !items.isEmpty else { return }
        let logs = context.mailboxes.logs
        let turn = nextLog.wrappingAdd(1, ordering: .relaxed).oldValue
        logs[Int(UInt(bitPattern: turn) % UInt(logs.count))].send(.write(items))
    }

    private func makeAccepted(position: Int, message: InFlightMessage, latency: UInt64, now: Int64) -> ItemOutcome {
        var item = ItemOutcome(message: message, position: position, outcome: .accepted, date: now)
        item.statusCode = 200
        item.latency = latency
        item.attempts = 1
        item.tellsOfLastAttempt = true
        return item
    }

    private func makeItem(
        _ end: SendEnd,
        position: Int,
        message: InFlightMessage,
        now: Int64
    ) -> ItemOutcome {
        var item = ItemOutcome(message: message, position: position, outcome: .deferred, date: now)
        item.attempts = end.attempts
        item.history = end.history
        // The history has every push but the last, unless that one is among them: then it was put back after it, and not
        // sent again.
        item.tellsOfLastAttempt = end.attempts > end.history.count
        item.statusCode = end.statusCode
        item.reason = end.reason
        if let detail = end.detail {
            // These words have a place in the history alone.
            item.history.append(
                AttemptRecord(
                    date: now,
                    status: end.statusCode,
                    reason: end.reason,
                    latency: AttemptRecord.milliseconds(end.latency ?? end.duration),
                    detail: detail
                )
            )
            item.tellsOfLastAttempt = false
        }
        item.providerID = end.providerID
        item.invalidSince = end.invalidSince
        item.latency = end.latency
        item.duration = end.duration
        if end.kind == .withdrawn, let cause = context.breakers.reason(lane: message.batch.lane) {
            item.reason = "\(end.reason ?? ""): \(cause)"
        }
        switch end.disposition.step {
        case .final(let result, let verdict):
            item.outcome = result
            item.next = verdict.map(ItemOutcome.NextStep.reportToken) ?? .none
        case .retryLater(let retryClass):
            planRetry(retryClass, of: &item, end, now: now)
        }
        return item
    }

    private func planRetry(_ retryClass: RetryClass, of item: inout ItemOutcome, _ end: SendEnd, now: Int64) {
        let policy = context.retryPolicy
        let (message, origin) = (item.message, item.message.origin)
        if let canceller = context.orders.cancelled(message) {
            return item.end(.cancelled(by: canceller), after: message.recalledDelivery(at: item.position))
        }
        guard case .valid(let notification) = message.batch.items[item.position].content else { return }
        // What the lane is refused for has no last resort: it waits for the operator. What was only just sent has one.
        let wasSentInVain = retryClass.countsAttempts || retryClass == .notSent && item.attempts > 0
        let retriesEnd = wasSentInVain ? policy.retriesEnd(firstSeen: origin.firstSeen) : message.retriesEnd(policy)
        let plan = policy.plan(
            retryClass,
            // What the client has waited for in memory was an attempt like one in a pass of its own.
            pass: origin.pass + end.waits,
            now: now,
            firstSeen: origin.firstSeen,
            deadline: notification.deadline(messageTime: origin.time, retriesEnd: retriesEnd),
            retryAfter: end.kind == .withdrawn ? silence(lane: message.batch.lane) : end.retryAfter,
            leastWait: end.leastWait
        )
        switch plan {
        case .delay(let step, let pass):
            let due = now + policy.steps[step].milliseconds
            item.next = .retryLater(
                ItemOutcome.Retry(
                    step: step,
                    pass: PlannedPass(number: pass, due: due),
                    wait: wait(after: end, of: item, retryClass)
                )
            )
        case .giveUp(let cause): item.end(cause, after: message.recalledDelivery(at: item.position))
        }
    }

    /// The seconds of silence that a lane is parked for, a started one counted as a whole; 0 for none.
    private func silence(lane: Int) -> Int {
        guard let silence = context.breakers.silence(lane: lane, now: .now()) else { return 0 }
        return max(1, Int((silence / .seconds(1)).rounded(.up)))
    }

    /// Why an item waits that this pass has not sent, or that was refused for its lane; `nil` for any other, whose history tells.
    private func wait(after end: SendEnd, of item: ItemOutcome, _ retryClass: RetryClass) -> LaneWait.Reason? {
        guard item.attempts == 0 || retryClass == .laneFault else { return nil }
        return switch end.disposition.lane {
        case .refused, .doubtful: .refused
        case .starved, .unanswered, .unreachable: .unreachable
        case .hold, .overloaded: .retryAfter
        case .sound, .none: context.breakers.wait(lane: item.message.batch.lane) ?? .notSent
        }
    }

    private func updateBreaker(lane: Int, _ verdict: LaneSigns.Verdict) {
        switch verdict {
        case .nothing: break
        case .returnProbe: context.breakers.returnProbe(lane: lane, now: .now())
        case .close:
            if context.breakers.close(lane: lane, now: .now()) {
                context.logger.emit(DispatchEvent.laneOpened(lane: context.lanes[lane].name))
            }
        case .overload(let seconds, let reason, let isProbe):
            if let pause = lanes.withLock({ $0 })?.overload(lane) {
                trip(lane: lane, .hold(pause), reason: reason)
            } else if isProbe, context.breakers.isProbing(lane: lane) {
                trip(lane: lane, .hold(.seconds(seconds)), reason: reason)
            }
        case .doubt(let reason):
            if context.breakers.doubt(lane: lane) { trip(lane: lane, .refused, reason: reason) }
        case .starve(let reason):
            if context.breakers.isStarved(lane: lane, now: .now()) {
                trip(lane: lane, .unreachable, reason: "connected, and no push is taken: \(reason)")
            }
        case .silence(let reason):
            if context.breakers.isSilent(lane: lane, now: .now()) {
                trip(lane: lane, .unreachable, reason: "connected, and no push is answered: \(reason)")
            }
        case .trip(let cause, let reason): trip(lane: lane, cause, reason: reason)
        }
    }

    private func trip(lane: Int, _ cause: CircuitBreaker.Cause, reason: String) {
        let (lanes, now) = (lanes.withLock { $0 }, MonotonicTime.now())
        // What is not reached has not been since the first attempt in vain, and that was before anybody gave up.
        let begin = cause == .unreachable ? lanes?.obstacle(lane)?.since : nil
        let pause = context.breakers.trip(lane: lane, cause: cause, reason: reason, since: begin, now: now)
        guard let pause else { return }
        lanes?.withdraw(lane)
        context.logger.emit(DispatchEvent.laneParked(lane: context.lanes[lane].name, reason: reason, pause: pause))
    }
}
