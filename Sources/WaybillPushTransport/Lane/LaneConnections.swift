import WaybillThreads

/// The connections of a lane: opened, replaced, closed when nobody needs them.
extension LaneExecutor: ConnectionOwner {
    private var situation: ConnectionPlan.Situation {
        var situation = ConnectionPlan.Situation(
            waiting: isHeldByPace ? 0 : queue.ready,
            mayBeSent: tokens.obstacle == nil,
            open: 0,
            pending: 0,
            notBefore: backoff.notBefore
        )
        for connection in connections where connection.generation == generation {
            if connection.machine.isPending { situation.pending += 1 }
            if connection.machine.phase == .open { situation.open += 1 }
        }
        return situation
    }

    /// When the next connection is to be opened or closed.
    var nextConnectionChange: MonotonicTime? {
        let opening = plan.nextOpening(situation, at: now)
        guard let closing = surplus.next else { return opening }
        return opening.map { min($0, closing) } ?? closing
    }

    func openConnections() {
        guard !isStopping, let time = plan.nextOpening(situation, at: now), time <= now else { return }
        plan.opened(at: now)
        let connection = ConnectionExecutor(
            owner: self,
            service: service,
            settings: settings,
            credentials: credentials,
            generation: generation,
            context: context
        )
        connections.append(connection)
        context.add(connection, token: connection.id)
        connection.start()
    }

    private var open: [ConnectionExecutor] {
        connections.filter { $0.machine.phase == .open }
    }

    private var surplus: (position: Int?, next: MonotonicTime?) {
        ConnectionPlan.surplus(
            idleSince: open.map(\.machine.idleSince),
            patience: settings.deadlines.idleSurplus,
            at: now
        )
    }

    func closeSurplus() {
        while let position = surplus.position {
            let connection = open[position]
            connection.isReplaced = true
            connection.retire("idle surplus")
            connection.performPending()
        }
    }

    /// Whether a connection owes answers while another one gives them: new requests leave it alone.
    func isOutpaced(_ connection: ConnectionExecutor) -> Bool {
        guard connections.count > 1, let since = connection.owesSince else { return false }
        return connections.contains {
            $0 !== connection && $0.machine.phase == .open && $0.generation == generation
                && $0.machine.answering.outpaces(owingSince: since)
        }
    }

    /// The addresses that a new connection tries, in order.
    func candidates(_ found: [SocketAddress]) -> [SocketAddress] {
        let reachable = settings.sourceAddress.map { source in found.filter { $0.family == source.family } } ?? found
        return backoff.candidates(reachable, at: now)
    }

    func addressFailed(_ address: SocketAddress) {
        addressFailed(address, after: .zero)
    }

    /// An address failed, with a connection that was open for so long; `nil` when it never came to one.
    private func addressFailed(_ address: SocketAddress?, after lifetime: Duration) {
        backoff.failed(address, after: lifetime, at: now, jitter: Double.random(in: 0...1))
    }

    /// Takes a connection out of use, and lets the next one open at once.
    func replace(_ connection: ConnectionExecutor, _ reason: String) {
        noteLost(connection)
        connection.retire(reason)
    }

    /// A connection that was in use takes no more requests: the next one is no growth.
    func noteLost(_ connection: ConnectionExecutor) {
        guard !connection.isReplaced, connection.machine.phase == .open else { return }
        connection.isReplaced = true
        plan.lost()
    }

    func replacementDue(_ connection: ConnectionExecutor) {
        if connection.streams.count > 0 || queue.ready > 0 { noteLost(connection) }
        // Nobody needs the next one yet: an end in order all the same.
        connection.isReplaced = true
        connection.retire("its lifetime is over")
    }

    /// Later requests prove their sender with other credentials; what is under way ends with the old ones.
    func replaceCredentials(with newCredentials: TransportCredentials) {
        credentials = newCredentials
        generation += 1
        tokens.replace(with: newCredentials.tokenSource)
        for connection in connections {
            replace(connection, "the credentials were replaced")
            connection.performPending()
        }
    }

    func connectionOpened(_ connection: ConnectionExecutor) {
        record.connected += 1
        outage.ended()
        context.observer.connected(lane: settings.name, connection: connection.refreshedRecord())
    }

    func goAway(_ connection: ConnectionExecutor, reason: String) {
        record.goAways += 1
        if connection.streams.count > 0 || queue.ready > 0 { noteLost(connection) }
        context.observer.goAway(lane: settings.name, connection: connection.refreshedRecord(), reason: reason)
    }

    func connectionEnded(_ connection: ConnectionExecutor, _ end: ConnectionMachine.End) {
        connections.removeAll { $0 === connection }
        context.remove(token: connection.id)
        record.streamStalls += connection.meter.streamStalls.count
        record.windowStalls += connection.meter.windowStalls.count
        if connection.generation == generation { noteEnd(of: connection) }
        switch end {
        case .failed(let error, let kind):
            noteConnectionFailure(error, kind)
            // While another one stands, the lane is not cut off, and what failed is no begin of what comes later.
            if open.isEmpty {
                outage.failed(kind, error, begin: connection.machine.hasOpened ? now : connection.began)
            }
            record.connectionFailures += 1
            context.observer.connectionFailed(
                lane: settings.name,
                connection: connection.refreshedRecord(),
                error: error
            )
        case .finished(let reason):
            if connection.meter.record.carried == 0, !connection.isReplaced { noteConnectionFailure(reason) }
            context.observer.closed(lane: settings.name, connection: connection.refreshedRecord(), reason: reason)
        }
    }

    /// What the end of a connection means for the next one.
    ///
    /// One that broke in use is replaced at once. One that never carried anything to an end is no better than one that
    /// could not be made: without the growing delay, a server that hangs up at once would be dialled in a loop.
    private func noteEnd(of connection: ConnectionExecutor) {
        guard !connection.machine.isProved else {
            // Its requests are back in the queue by now.
            if !connection.isReplaced, queue.ready > 0 { plan.lost() }
            return
        }
        guard connection.meter.record.carried > 0 || !connection.isReplaced else { return }
        if connection.address != nil || connection.dialer.addresses.isEmpty {
            addressFailed(connection.address, after: connection.machine.lifetime(at: now))
        } else {
            for address in connection.dialer.addresses where !backoff.isLeftAlone(address, at: now) {
                addressFailed(address)
            }
        }
    }

    /// The record with its gauges brought up to date.
    func refreshedRecord() -> LaneRecord {
        var result = record
        for connection in connections {
            let part = connection.refreshedRecord()
            switch part.state {
            case .pending: result.connectionsPending += 1
            case .open: result.connectionsOpen += 1
            case .draining: result.connectionsDraining += 1
            case .closed: continue
            }
            result.streamsOpen += part.streamsOpen
            result.streamStalls += part.streamStalls
            result.windowStalls += part.windowStalls
            result.connections.append(part)
        }
        result.waiting = queue.count
        result.obstacle = obstacle
        result.overload = overload.pause
        return result
    }

    /// What keeps requests from being sent, whether or not any waits.
    private var obstacle: PushObstacle? {
        let present = connections.filter { $0.generation == generation }
        guard !present.contains(where: { $0.machine.phase == .open }) else { return tokens.obstacle }
        let pending = present.lazy.compactMap { connection in
            let address = connection.meter.record.address
            return connection.machine.awaited.map { (begin: connection.began, text: "\(address): \($0)") }
        }.first
        return outage.obstacle(pending: pending) ?? tokens.obstacle
    }
}
