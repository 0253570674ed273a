import Synchronization
import WaybillAPNS
import WaybillCore
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Turns what the APNs driver reports into outcomes for the log.
///
/// Runs on the driver's thread, once for everything that ended in a turn of its loop. It decides; it never waits.
final class OutcomeHandler: Sendable {
    private let context: PipelineContext
    private let nextLog = Atomic(0)
    private let isStopping = Atomic(false)
    private let withdraw = Guarded<(@Sendable (_ lane: Int) -> Void)?>(nil)

    init(context: PipelineContext) {
        self.context = context
    }

    /// Says how to take back what a lane has not sent yet, for the moment when APNs refuses the lane.
    func whenParked(_ withdraw: @escaping @Sendable (_ lane: Int) -> Void) {
        self.withdraw.withLock { $0 = withdraw }
    }

    /// From now on an item that was not sent, or may be sent again, is left to the broker instead of being recorded.
    func stop() {
        isStopping.store(true, ordering: .releasing)
    }

    /// Classifies outcomes and hands them to a log thread.
    func handle(lane: Int, outcomes: [APNSOutcome]) {
        let now = WallClock.milliseconds()
        let leavesToBroker = isStopping.load(ordering: .acquiring)
        let lanes = context.lanes
        var items: [ItemOutcome] = []
        items.reserveCapacity(outcomes.count)
        var signs = LaneSigns()
        var answered = 0
        for outcome in outcomes {
            // Sender submits for nobody else.
            guard let message = outcome.owner as? InFlightMessage else { continue }
            if leavesToBroker, case .failed(let failure) = outcome.result, isRepeatable(failure, outcome, message) {
                continue
            }
            let disposition = Self.classify(outcome, of: message, lanes: lanes)
            if case .answered = outcome.result { answered += 1 }
            signs.note(disposition.lane, isProbe: message.isProbe)
            items.append(makeItem(outcome, disposition.step, message: message, now: now))
        }
        context.traffic.ended(outcomes.count, answered: answered, lane: lane)
        updateBreaker(lane: lane, signs.verdict)
        guard !items.isEmpty else { return }
        let logs = context.mailboxes.logs
        let turn = nextLog.wrappingAdd(1, ordering: .relaxed).oldValue
        logs[Int(UInt(bitPattern: turn) % UInt(logs.count))].send(.write(items))
    }

    private func isRepeatable(_ failure: APNSFailure, _ outcome: APNSOutcome, _ message: InFlightMessage) -> Bool {
        switch failure {
        case .notSent: true
        case .unknown:
            if case .valid(let notification) = message.batch.items[outcome.index].content {
                notification.onUnknown == .resend
            } else {
                false
            }
        }
    }

    /// What the end of an attempt means for an item of a message.
    ///
    /// - Parameters:
    ///   - outcome: the end of the attempt.
    ///   - message: the outcome's owner.
    ///   - lanes: the configured ones.
    /// - Returns: the end of the item, or why to try again later.
    static func classify(_ outcome: APNSOutcome, of message: InFlightMessage, lanes: [Lane]) -> Disposition {
        // What nearly every push meets; an item is a large value, and is not looked at for that.
        if case .answered(let answer) = outcome.result, answer.status == 200 {
            return APNSClassifier.classify(outcome.result)
        }
        guard case .valid(let notification) = message.batch.items[outcome.index].content else {
            return APNSClassifier.classify(outcome.result)
        }
        // Only a refusal can be about a topic; the comparison is not for the common case.
        guard case .answered(let answer) = outcome.result, 400..<430 ~= answer.status else {
            return APNSClassifier.classify(outcome.result, resendsUnknown: notification.onUnknown == .resend)
        }
        switch lanes[message.batch.lane].provider {
        case .apns(let rules):
            return APNSClassifier.classify(outcome.result, topic: rules.topicOrigin(of: notification))
        }
    }

    private func makeItem(
        _ outcome: APNSOutcome,
        _ step: Disposition.Step,
        message: InFlightMessage,
        now: Int64
    ) -> ItemOutcome {
        var item = ItemOutcome(message: message, position: outcome.index, outcome: .deferred, date: now)
        item.attempts = outcome.attempts
        item.history = outcome.history.map(AttemptRecord.init)
        // The driver's history has every push but the last, unless that one is among them: then it was put back after it,
        // and not sent again.
        item.tellsOfLastAttempt = outcome.attempts > outcome.history.count
        var retryAfter = 0
        switch outcome.result {
        case .answered(let answer):
            item.statusCode = answer.status
            item.reason = answer.reason?.rawValue
            item.invalidSince = answer.timestamp
            item.latency = outcome.latency
            retryAfter = answer.retryAfterSeconds ?? 0
        case .failed(.notSent(.parked)):
            let reason = context.breakers.reason(lane: message.batch.lane)
            item.reason = reason.map { "\(APNSFailureCause.parked.word): \($0)" } ?? APNSFailureCause.parked.word
        case .failed(.notSent(let cause)): item.reason = cause.description
        case .failed(.unknown(let cause)): item.reason = cause.word
        }
        switch step {
        case .final(let result, let verdict):
            item.outcome = result
            item.next = verdict.map(ItemOutcome.NextStep.reportToken) ?? .none
        case .retryLater(let retryClass):
            planRetry(retryClass, of: &item, retryAfter: retryAfter, now: now)
        }
        return item
    }

    private func planRetry(_ retryClass: RetryClass, of item: inout ItemOutcome, retryAfter: Int, now: Int64) {
        let policy = context.retryPolicy
        let (message, origin) = (item.message, item.message.origin)
        guard case .valid(let notification) = message.batch.items[item.position].content else { return }
        // What the lane is refused for has no last resort: it waits for the operator. What was only just sent has one.
        let wasSentInVain = retryClass.countsAttempts || retryClass == .notSent && item.attempts > 0
        let lastResort = wasSentInVain ? policy.lastResort(firstSeen: origin.firstSeen) : message.lastResort(policy)
        let plan = policy.plan(
            retryClass,
            pass: origin.pass,
            now: now,
            firstSeen: origin.firstSeen,
            deadline: notification.deadline(messageTime: origin.time, lastResort: lastResort),
            retryAfter: retryAfter
        )
        switch plan {
        case .delay(let step, let pass): item.next = .retryLater(step: step, pass: pass)
        case .giveUp(let cause): item.end(cause, after: message.recalledDelivery(at: item.position))
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
        case .doubt(let reason):
            if context.breakers.doubt(lane: lane) { trip(lane: lane, .refused, reason: reason) }
        case .starve(let reason):
            if context.breakers.isStarved(lane: lane, now: .now()) {
                trip(lane: lane, .unreachable, reason: "connected, and no push is taken: \(reason)")
            }
        case .trip(let cause, let reason): trip(lane: lane, cause, reason: reason)
        }
    }

    private func trip(lane: Int, _ cause: CircuitBreakers.Cause, reason: String) {
        guard let pause = context.breakers.trip(lane: lane, cause: cause, reason: reason, now: .now()) else { return }
        withdraw.withLock { $0 }?(lane)
        context.logger.emit(DispatchEvent.laneParked(lane: context.lanes[lane].name, reason: reason, pause: pause))
    }
}

extension AttemptRecord {
    fileprivate init(_ attempt: APNSAttempt) {
        switch attempt.result {
        case .answered(let status, let reason): self.init(date: attempt.date, status: status, reason: reason?.rawValue)
        case .unanswered(_, let cause): self.init(date: attempt.date, status: nil, reason: cause)
        }
    }
}
