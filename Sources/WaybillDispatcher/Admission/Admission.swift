import WaybillCore
import WaybillThreads

/// Decides about every message that has come: start it, keep it waiting, put it off to a delay queue, or give it back.
///
/// The rule, in the order in which it is asked:
/// 1. The process is full with `broker.max_in_flight` notifications or ``maximumBytes`` of bodies in flight: nothing starts.
///    What the broker has handed out ahead (``prefetch``) waits. If that is larger than ``maximumBytesAhead``, the connection
///    is given up, which gives all of it back, and the next one asks for fewer messages. What came from the bulk queue has
///    half of the process at the most, and a tenth of it in any case, on top of what is full; the other half is never its.
/// 2. A copy of notifications that are in flight here waits until they are settled (``Deduplicator``). A lane with more of
///    them than its part of the retry queue's prefetch count has its next ones put off.
/// 3. A message of which nothing is left to send, or whose batch is cancelled, starts, whatever its lane does: it only needs
///    records.
/// 4. Its lane has its share of the process already (``FairShare``), or of bulk's half: it waits if the lane is moving, else it is put off.
/// 5. Its lane's circuit breaker is open, or an operator has paused the lane: it is put off. If the breaker is half open, one message starts as its probe.
/// 6. Everything else starts.
///
/// In flight is what was admitted and is not settled yet: started, waiting for its lane, or put off and not confirmed.
///
/// *Thread:* the consumer's; what the other threads know of the lanes is in `LaneTraffic` and `CircuitBreakers`.
struct Admission {
    /// What becomes of a message.
    enum Decision: Equatable {
        /// A probe's answers decide whether the lane's circuit breaker closes.
        case start(isProbe: Bool)
        /// It is kept here until its lane has room: see ``takeWaiting(now:)``.
        case wait
        /// Into the delay queue of that step, for that reason; `nil` for a copy. The lane has turned out to be slow, maybe
        /// just now.
        case putOff(LaneWait.Reason?, step: Int, isLaneNewlySlow: Bool)
        /// It is kept here until the notifications that it is a copy of are settled: see ``takeReleased()``.
        case waitAsCopy
    }

    private struct Lane {
        /// Started and not settled; not counted where a lane has nobody to share with.
        var held = MessageCount()
        var waiting: [InFlightMessage] = []
        var waitingNotifications = 0
        var share: FairShare
    }

    /// Bodies held at the most, in flight or waiting: with payloads of 4 KB three thousand notifications, which a
    /// distance of 150 ms lets pass at 20,000 a second, and a process that stays under 80 MB.
    static let maximumBytes = 12 << 20

    /// Bodies handed out and not started at the most: the prefetch count was made for smaller ones when they came.
    static let maximumBytesAhead = 4 * maximumBytes

    private let maximumNotifications: Int
    private let policy: RetryPolicy
    private let breakers: CircuitBreakers
    private let traffic: LaneTraffic
    private let orders: OrdersInForce
    private(set) var inFlight = MessageCount()
    /// What of it came from the bulk queue.
    private(set) var bulkInFlight = MessageCount()
    private let laneCount: Int
    /// The lanes, and once more the lanes for what came from the bulk queue.
    private var lanes: [Lane]
    private var copies: Deduplicator
    private let queueCount: Int
    /// What the broker hands out ahead.
    var prefetch: PrefetchPlan

    /// - Parameters:
    ///   - laneCount: the lanes that share the process.
    ///   - queueCount: the queues that are read: the bulk queue as the last but one, the retry queue as the last.
    ///   - maximumNotifications: in flight at the most.
    ///   - policy: where messages that are put off wait, and until when they are worth it.
    ///   - breakers: the lanes' circuit breakers.
    ///   - traffic: what the lanes have on their way.
    ///   - orders: the operators'.
    init(
        laneCount: Int,
        queueCount: Int,
        maximumNotifications: Int,
        policy: RetryPolicy,
        breakers: CircuitBreakers,
        traffic: LaneTraffic,
        orders: OrdersInForce
    ) {
        self.maximumNotifications = maximumNotifications
        self.policy = policy
        self.breakers = breakers
        self.traffic = traffic
        self.orders = orders
        self.laneCount = laneCount
        self.queueCount = queueCount
        copies = Deduplicator(laneCount: laneCount)
        let share = FairShare(laneCount: laneCount, maximumInFlight: maximumNotifications)
        let shareOfBulk = FairShare(laneCount: laneCount, maximumInFlight: maximumNotifications / 2)
        lanes =
            Array(repeating: Lane(share: share), count: laneCount)
            + Array(repeating: Lane(share: shareOfBulk), count: laneCount)
        prefetch = PrefetchPlan(
            itemTarget: maximumNotifications * 3 / 2,
            byteTarget: Self.maximumBytes,
            queues: queueCount,
            hasRetryQueue: true,
            hasBulkQueue: true
        )
    }

    /// Whether another message may be looked at that is not of the bulk queue.
    ///
    /// One that alone is over the limit still starts when nothing else is in flight.
    var hasRoom: Bool {
        let others = inFlight.without(bulkInFlight)
        return others.messages == 0 || isBelow(inFlight, part: 1) || isBelow(others, part: Self.bulkPart)
    }

    /// The parts of everything that bulk may have: at the most, and in any case.
    private static let bulkPart = 2
    private static let leastBulkPart = 10

    /// As ``hasRoom``, for one of the bulk queue.
    var hasBulkRoom: Bool {
        bulkInFlight.messages == 0 || isBelow(bulkInFlight, part: Self.leastBulkPart)
            || (isBelow(inFlight, part: 1) && isBelow(bulkInFlight, part: Self.bulkPart))
    }

    /// Whether a count is below one of so many equal parts of the limits.
    private func isBelow(_ count: MessageCount, part: Int) -> Bool {
        count.notifications < maximumNotifications / part && count.bytes < Self.maximumBytes / part
    }

    /// Whether what was handed out ahead is too large to be held, and fewer will be handed out when it comes again.
    ///
    /// - Parameters:
    ///   - messages: handed out and not started.
    ///   - bytes: of their bodies, all together.
    ///   - isBulk: they came from the bulk queue, which has half as much.
    /// - Returns: false when no smaller count is left, too; then what has come is kept.
    mutating func mustGiveBack(messages: Int, bytes: Int, isBulk: Bool = false) -> Bool {
        bytes > Self.maximumBytesAhead / (isBulk ? Self.bulkPart : 1)
            && prefetch.overflowed(messages: messages, bytes: bytes, isBulk: isBulk)
    }

    /// A body that cannot be read is on its way to the rejected queue.
    mutating func admitRejected(_ finalizer: Finalizer) {
        enter(finalizer)
    }

    private mutating func enter(_ finalizer: Finalizer) {
        inFlight += finalizer
        if finalizer.isBulk { bulkInFlight += finalizer }
    }

    private mutating func leave(_ finalizer: Finalizer) {
        inFlight -= finalizer
        if finalizer.isBulk { bulkInFlight -= finalizer }
    }

    /// Where in ``lanes`` a message of a lane counts.
    private func slot(_ lane: Int, isBulk: Bool) -> Int { isBulk ? laneCount + lane : lane }

    /// Decides about a message that has just come.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - now: this moment.
    /// - Returns: what to do with it.
    mutating func admit(_ message: InFlightMessage, now: MonotonicTime) -> Decision {
        if copies.mustWait(message) {
            guard copies.waitingCount(lane: message.batch.lane) >= mostCopies else {
                copies.wait(message)
                return .waitAsCopy
            }
            enter(message.finalizer)
            return .putOff(nil, step: 0, isLaneNewlySlow: false)
        }
        enter(message.finalizer)
        copies.enter(message.finalizer)
        let decision = decide(message, now: now)
        if case .wait = decision {
            let slot = slot(message.batch.lane, isBulk: message.isBulk)
            lanes[slot].waiting.append(message)
            lanes[slot].waitingNotifications += message.batch.items.count
        }
        return decision
    }

    /// Takes the messages that need not wait for their lanes any longer, each lane's in the order of arrival.
    ///
    /// - Parameter now: this moment.
    /// - Returns: what to do with each of them.
    mutating func takeWaiting(now: MonotonicTime) -> [(message: InFlightMessage, decision: Decision)] {
        var taken: [(message: InFlightMessage, decision: Decision)] = []
        for lane in lanes.indices where !lanes[lane].waiting.isEmpty {
            var count = 0
            for message in lanes[lane].waiting {
                let decision = decide(message, now: now)
                if case .wait = decision { break }
                count += 1
                lanes[lane].waitingNotifications -= message.batch.items.count
                taken.append((message, decision))
            }
            lanes[lane].waiting.removeFirst(count)
        }
        return taken
    }

    /// Gives up all that waits: the broker keeps it.
    mutating func dropWaiting() {
        for lane in lanes.indices {
            for message in lanes[lane].waiting { leave(message.finalizer) }
            lanes[lane].waiting.removeAll()
            lanes[lane].waitingNotifications = 0
        }
    }

    /// The connection that the waiting copies came over is gone; they come again.
    mutating func forgetCopies() {
        copies.forgetWaiting()
    }

    /// Copies of one lane that wait at the most: all lanes together leave a part of what the bulk queue and the retry queue,
    /// the last two, have handed out ahead.
    private var mostCopies: Int {
        min(prefetch.share(of: queueCount - 2), prefetch.share(of: queueCount - 1)) / (laneCount + 1)
    }

    /// A message is settled.
    ///
    /// - Parameter finalizer: the message's.
    mutating func settled(_ finalizer: Finalizer) {
        leave(finalizer)
        if finalizer.hasStarted, let lane = finalizer.lane {
            lanes[slot(lane, isBulk: finalizer.isBulk)].held -= finalizer
        }
        copies.leave(finalizer)
    }

    /// Some of a message is settled, by the positions in its batch.
    mutating func settled(_ positions: [Int], of finalizer: Finalizer) { copies.settled(positions, of: finalizer) }

    /// Takes a copy that has waited, to be admitted like any message that comes.
    mutating func takeReleased() -> InFlightMessage? { copies.takeReleased() }

    private mutating func decide(_ message: InFlightMessage, now: MonotonicTime) -> Decision {
        let lane = message.batch.lane
        guard message.hasUnexpired(policy), orders.cancelled(message) == nil else {
            // Nothing is left to send, so nothing has to wait: neither for a lane that is parked nor for a slow one.
            return start(message, isProbe: false)
        }
        switch share(lane: lane, isBulk: message.isBulk, now: now) {
        case .wait: return .wait
        case .putOff(let isNews): return putOff(message, .slow, isLaneNewlySlow: isNews)
        case .start: break
        }
        return switch breakers.admit(lane: lane, isRepeat: message.origin.pass > 1, now: now) {
        case .send: start(message, isProbe: false)
        case .probe: start(message, isProbe: true)
        case .wait(let reason):
            putOff(message, reason, isLaneNewlySlow: false, silence: breakers.silence(lane: lane, now: now))
        }
    }

    private mutating func share(lane: Int, isBulk: Bool, now: MonotonicTime) -> FairShare.Verdict {
        guard laneCount > 1 else { return .start }
        let slot = slot(lane, isBulk: isBulk)
        let held = lanes[slot].held
        return lanes[slot].share.verdict(
            traffic.count(lane: lane, isBulk: isBulk),
            waiting: lanes[slot].waitingNotifications,
            held: FairShare.Held(
                share: held.share(
                    handedOut: prefetch.handedOut(isBulk: isBulk),
                    maximumBytes: Self.maximumBytes / (isBulk ? Self.bulkPart : 1)
                ),
                notifications: held.notifications
            ),
            now: now
        )
    }

    private mutating func start(_ message: InFlightMessage, isProbe: Bool) -> Decision {
        traffic.started(message.batch.items.count, lane: message.batch.lane, isBulk: message.isBulk)
        // With one lane nobody asks.
        if laneCount > 1 {
            message.finalizer.hasStarted = true
            lanes[slot(message.batch.lane, isBulk: message.isBulk)].held += message.finalizer
        }
        return .start(isProbe: isProbe)
    }

    /// The messages of a parked or slow lane wait in the broker, as they are, and hold up no other lane.
    private func putOff(
        _ message: InFlightMessage,
        _ reason: LaneWait.Reason,
        isLaneNewlySlow: Bool,
        silence: Duration? = nil
    ) -> Decision {
        let origin = message.origin
        let step = policy.parkedStep(firstSeen: origin.firstSeen, now: origin.receivedAt, silence: silence)
        return .putOff(reason, step: step, isLaneNewlySlow: isLaneNewlySlow)
    }
}
