import Synchronization
import Telemetry
import Threads
import WaybillAPNS
import WaybillCore

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
        var refusal: String?
        var showsLaneSound = false
        var isProbeLost = false
        var answered = 0
        for outcome in outcomes {
            // The owner is always the ticket that Sender has submitted.
            let ticket = unsafeDowncast(outcome.owner, to: Ticket.self)
            if leavesToBroker, case .failed(let failure) = outcome.result, isRepeatable(failure, outcome, ticket) {
                continue
            }
            let disposition = Self.classify(outcome, of: ticket, lanes: lanes)
            if case .answered(let answer) = outcome.result {
                answered += 1
                if disposition == .retryLater(.laneFault) {
                    refusal = answer.reason?.rawValue ?? "status \(answer.status)"
                } else {
                    showsLaneSound = true
                }
            } else if ticket.isProbe {
                isProbeLost = true
            }
            items.append(makeItem(outcome, disposition, ticket: ticket, now: now))
        }
        context.shares.ended(outcomes.count, answered: answered, lane: lane)
        updateGate(lane: lane, refusal: refusal, showsLaneSound: showsLaneSound)
        if isProbeLost { context.gate.returnProbe(lane: lane, now: .now()) }
        guard !items.isEmpty else { return }
        let logs = context.mailboxes.logs
        let turn = nextLog.wrappingAdd(1, ordering: .relaxed).oldValue
        logs[Int(UInt(bitPattern: turn) % UInt(logs.count))].send(.write(items))
    }

    private func isRepeatable(_ failure: APNSFailure, _ outcome: APNSOutcome, _ ticket: Ticket) -> Bool {
        switch failure {
        case .notSent: true
        case .unknown:
            if case .valid(let notification) = ticket.batch.items[outcome.index].content {
                notification.onUnknown == .resend
            } else {
                false
            }
        }
    }

    /// What the end of an attempt means for an item of a ticket.
    ///
    /// A topic is the lane's own only when it is the bundle id, for a push type that has that topic. Every other one
    /// comes from what a producer chose, the topic or the push type, and a lane that serves its own topic may well have
    /// no leave for the others: a certificate for alerts has none for VoIP.
    ///
    /// - Parameters:
    ///   - outcome: the end of the attempt.
    ///   - ticket: the outcome's owner.
    ///   - lanes: the configured ones.
    /// - Returns: the end of the item, or why to try again later.
    static func classify(_ outcome: APNSOutcome, of ticket: Ticket, lanes: [Lane]) -> Disposition {
        // Only an error can be about a topic; the comparison is not for the common case.
        guard case .answered(let answer) = outcome.result, answer.status == 400,
            case .valid(let notification) = ticket.batch.items[outcome.index].content
        else { return Classifier.classify(outcome.result) }
        let lane = lanes[ticket.batch.lane]
        let isOwn = notification.topic == lane.bundleID && lane.topic(for: notification.pushType) == lane.bundleID
        return Classifier.classify(outcome.result, hasForeignTopic: !isOwn)
    }

    private func makeItem(
        _ outcome: APNSOutcome,
        _ disposition: Disposition,
        ticket: Ticket,
        now: Int64
    ) -> ItemOutcome {
        var item = ItemOutcome(ticket: ticket, position: outcome.index, outcome: .deferred, date: now)
        item.attempts = outcome.attempts
        item.history = outcome.history.map(AttemptRecord.init)
        switch outcome.result {
        case .answered(let answer):
            item.statusCode = answer.status
            item.reason = answer.reason?.rawValue
            item.invalidSince = answer.timestamp
            item.latency = outcome.latency
        case .failed(let failure):
            item.reason = failure.cause.word
        }
        switch disposition {
        case .final(let result, let verdict):
            item.outcome = result
            item.next = verdict.map(ItemOutcome.NextStep.reportToken) ?? .none
        case .retryLater(.notSent) where context.gate.isClosed(lane: ticket.batch.lane):
            planRetry(.laneFault, of: &item, now: now)
        case .retryLater(let retryClass):
            planRetry(retryClass, of: &item, now: now)
        }
        return item
    }

    private func planRetry(_ retryClass: RetryClass, of item: inout ItemOutcome, now: Int64) {
        let origin = item.ticket.origin
        guard case .valid(let notification) = item.ticket.batch.items[item.position].content else { return }
        switch context.retryPolicy.plan(
            retryClass,
            pass: origin.pass,
            now: now,
            firstSeen: origin.firstSeen,
            expiration: notification.expiration
        )
        {
        case .delay(let step):
            // A fault of the lane uses up none of the notification's own attempts.
            item.next = .retryLater(step: step, pass: retryClass.countsAttempts ? origin.pass + 1 : origin.pass)
        case .giveUp(let outcome, let reason):
            item.outcome = outcome
            item.reason = item.reason ?? reason
        }
    }

    private func updateGate(lane: Int, refusal: String?, showsLaneSound: Bool) {
        if let refusal {
            if let pause = context.gate.park(lane: lane, now: .now()) {
                withdraw.withLock { $0 }?(lane)
                context.logger.emit(
                    DispatchEvent.laneParked(lane: context.lanes[lane].name, reason: refusal, pause: pause)
                )
            }
        } else if showsLaneSound, context.gate.open(lane: lane) {
            context.logger.emit(DispatchEvent.laneOpened(lane: context.lanes[lane].name))
        }
    }
}

extension AttemptRecord {
    fileprivate init(_ attempt: APNSAttempt) {
        switch attempt.result {
        case .answered(let answer):
            self.init(date: attempt.date, status: answer.status, reason: answer.reason?.rawValue)
        case .failed(let failure):
            self.init(date: attempt.date, status: nil, reason: failure.cause.word)
        }
    }
}
