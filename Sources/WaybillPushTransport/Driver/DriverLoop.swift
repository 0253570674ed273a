import WaybillThreads

/// The loop of a driver's thread: wait, read, advance every lane, hand out what ended.
final class DriverLoop<Service: PushService> {
    private let shared: DriverShared<Service.Batch>
    private let context: DriverContext
    private let services: [Service]
    private let lanes: [LaneExecutor]
    private var events: [Reactor.Event] = []
    private var commands: [DriverCommand<Service.Batch>] = []
    private var closeBy: MonotonicTime?
    /// By lane, whose requests are to be taken back.
    private var withdrawals: [Int: [any PushRequestOwner]] = [:]

    init(
        shared: DriverShared<Service.Batch>,
        lanes seeds: [LaneSeed],
        observer: any LaneObserver,
        clock: DriverClock,
        makeService: (Int) -> Service
    ) throws(ThreadError) {
        self.shared = shared
        let reactor = try Reactor()
        try reactor.register(shared.mailbox.descriptor, token: DriverContext.mailboxToken, interest: .readable)
        let mailbox = shared.mailbox
        let context = DriverContext(reactor: reactor, observer: observer, clock: clock) { mailbox.send(.notice($0)) }
        self.context = context
        let services = seeds.indices.map(makeService)
        self.services = services
        lanes = zip(seeds, services).map { LaneExecutor($0, service: $1, context: context) }
    }

    /// Runs until the driver is closed.
    func run() {
        defer { shared.watch.waits() }
        while !isDone {
            shared.watch.waits()
            wait()
            shared.watch.works()
            context.readClocks()
            for event in events { handle(event) }
            for lane in lanes { lane.readOn() }
            for lane in lanes { lane.advance() }
            handOut()
        }
        for lane in lanes { lane.stop() }
        // Nothing is taken any more, so this look at the mailbox is the last one.
        takeCommands()
        for lane in lanes { lane.stop() }
        handOut()
    }

    /// Closing, and everything has ended or the time is up.
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
            if let deadline = lane.nextDeadline { earliest = min(earliest ?? deadline, deadline) }
        }
        return earliest
    }

    private func handle(_ event: Reactor.Event) {
        if event.token == DriverContext.mailboxToken {
            takeCommands()
        } else {
            // A connection may have ended earlier in this turn.
            context.handlers[event.token]?.handle(event)
        }
    }

    private func takeCommands() {
        commands.removeAll(keepingCapacity: true)
        shared.mailbox.drain(into: &commands)
        for command in commands {
            if case .withdraw(let lane, let owner?) = command {
                withdrawals[lane, default: []].append(owner)
                continue
            }
            withdraw()
            switch command {
            case .submit(let lane, let batches):
                for batch in batches { lanes[lane].receive(services[lane].keep(batch)) }
            case .withdraw(let lane, _): lanes[lane].endWaiting(.parked)
            case .withdrawWhere(let lane, let isMeant): lanes[lane].endWaiting(.cancelled, where: isMeant)
            case .endAnswered: for lane in lanes { lane.endAnswered() }
            case .replaceCredentials(let lane, let credentials): lanes[lane].replaceCredentials(with: credentials)
            case .notice(.tokenReady): for lane in lanes { lane.tokens.mayBeReady() }
            case .notice(.resolved(let connection, let result)): context.handlers[connection]?.resolved(result)
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
            // First, so that whoever hears of an end finds it counted.
            shared.publish(lane.refreshedRecord(), lane: index)
            services[index].handOut()
        }
    }
}
