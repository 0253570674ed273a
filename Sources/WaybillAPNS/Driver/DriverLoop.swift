import WaybillThreads

/// The loop of a driver's thread: wait, read, advance every lane, hand out what ended.
final class DriverLoop {
    typealias OutcomeHandler = @Sendable (_ lane: Int, _ outcomes: [APNSOutcome]) -> Void

    private let shared: DriverShared
    private let context: DriverContext
    private let lanes: [LaneExecutor]
    private let onOutcomes: OutcomeHandler
    private var events: [Reactor.Event] = []
    private var commands: [DriverCommand] = []
    private var closeBy: MonotonicTime?
    /// By lane, whose requests are to be taken back.
    private var withdrawals: [Int: [any APNSRequestOwner]] = [:]

    init(
        shared: DriverShared,
        lanes seeds: [LaneSeed],
        observer: any APNSObserver,
        clock: APNSClock,
        onOutcomes: @escaping OutcomeHandler
    ) throws(APNSSetupError) {
        self.shared = shared
        self.onOutcomes = onOutcomes
        do {
            let reactor = try Reactor()
            try reactor.register(shared.mailbox.descriptor, token: DriverContext.mailboxToken, interest: .readable)
            context = DriverContext(
                reactor: reactor,
                mailbox: shared.mailbox,
                observer: observer,
                clock: clock
            )
        } catch {
            throw APNSSetupError(.system, "\(error)")
        }
        let context = context
        lanes = seeds.map { LaneExecutor($0, context: context) }
    }

    /// Runs until the driver is closed.
    func run() {
        while !isDone {
            wait()
            context.readClocks()
            for event in events { handle(event) }
            readOn()
            for lane in lanes { lane.advance() }
            handOut()
        }
        for lane in lanes { lane.stop() }
        // Nothing is taken any more, so this look at the mailbox is the last one.
        takeCommands()
        for lane in lanes { lane.stop() }
        handOut()
    }

    /// Closing, and everything has an outcome or the time is up.
    private var isDone: Bool {
        guard let closeBy else { return false }
        return closeBy <= context.now.monotonic || lanes.allSatisfy(\.isIdle)
    }

    private func wait() {
        do {
            try context.reactor.wait(until: nextDeadline.map(context.clock.systemTime), into: &events)
        } catch {
            // epoll_wait fails for a bad descriptor or address only: both are ours for the life of the loop.
            preconditionFailure("epoll: \(error)")
        }
    }

    private var nextDeadline: MonotonicTime? {
        var earliest = closeBy
        for lane in lanes {
            if lane.connections.contains(where: \.hasMoreInput) { return context.now.monotonic }
            if let deadline = lane.nextDeadline { earliest = min(earliest ?? deadline, deadline) }
        }
        return earliest
    }

    private func handle(_ event: Reactor.Event) {
        if event.token == DriverContext.mailboxToken {
            takeCommands()
        } else {
            // A connection may have ended earlier in this turn.
            context.connections[event.token]?.handle(event)
        }
    }

    /// Goes on reading where the last turn stopped for the sake of the other connections.
    private func readOn() {
        for lane in lanes {
            for connection in lane.connections where connection.hasMoreInput { connection.read() }
        }
    }

    private func takeCommands() {
        commands.removeAll(keepingCapacity: true)
        context.mailbox.drain(into: &commands)
        for command in commands {
            if case .withdraw(let lane, let owner?) = command {
                withdrawals[lane, default: []].append(owner)
                continue
            }
            withdraw()
            switch command {
            case .submit(let lane, let batches): lanes[lane].receive(batches)
            case .withdraw(let lane, _): lanes[lane].endWaiting(.parked)
            case .replaceCredentials(let lane, let seed): lanes[lane].replaceCredentials(with: seed)
            case .wake: for lane in lanes { lane.isAwaitingToken = false }
            case .resolved(let connection, let result): context.connections[connection]?.resolved(result)
            case .close(let time): closeBy = min(closeBy ?? time, time)
            }
        }
        withdraw()
        commands.removeAll(keepingCapacity: true)
    }

    /// Takes back the requests of all owners that asked for it in a row: thousands of tasks may be cancelled at a time,
    /// and each pass goes over the whole queue.
    private func withdraw() {
        guard !withdrawals.isEmpty else { return }
        for (lane, owners) in withdrawals { lanes[lane].endWaiting(.cancelled, of: owners) }
        withdrawals.removeAll(keepingCapacity: true)
    }

    private func handOut() {
        for (index, lane) in lanes.enumerated() {
            // First, so that whoever has an outcome finds it counted.
            shared.publish(lane.refreshedSnapshot(), lane: index)
            guard !lane.outcomes.isEmpty else { continue }
            let outcomes = lane.outcomes
            lane.outcomes = []
            onOutcomes(index, outcomes)
        }
    }
}
