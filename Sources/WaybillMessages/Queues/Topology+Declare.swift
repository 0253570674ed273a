package import WaybillAMQP

/// What `declare` did about one queue, or about one exchange.
package struct TopologyChange: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case queue
        case exchange
    }

    package enum Change: Hashable, Sendable {
        case created
        case exists
    }

    package let kind: Kind
    package let name: String
    package let change: Change
}

extension Topology {
    /// Declares what is missing, and checks that the rest has the settings it should have.
    ///
    /// What is there is compared first, so that nothing is made beside a queue with other settings. Nothing is ever deleted
    /// or changed; safe to repeat.
    ///
    /// - Parameters:
    ///   - connection: Its channel may be opened anew, so it should have nothing else to do.
    ///   - virtualHost: For the command in an error's text.
    /// - Returns: One entry for each queue, and the exchanges as the last.
    /// - Throws: `.mismatch` for the first queue with other settings, `.earlierBuild` for delay queues that lead elsewhere.
    package func declare(on connection: AMQPConnection, virtualHost: String? = nil) throws(TopologyError)
        -> [TopologyChange]
    {
        var present: Set<String> = []
        for queue in queues where try exists(queue.name, on: connection) {
            try declare(queue, on: connection, virtualHost: virtualHost)
            present.insert(queue.name)
        }
        for queue in queues where !present.contains(queue.name) {
            try declare(queue, on: connection, virtualHost: virtualHost)
        }
        var changes: [TopologyChange] = []
        for exchange in exchanges { changes.append(try declare(exchange, on: connection)) }
        return queues.map { queue in
            TopologyChange(
                kind: .queue,
                name: queue.name,
                change: present.contains(queue.name) ? .exists : .created
            )
        } + changes
    }

    /// Checks that what a user needs is there, without declaring anything.
    ///
    /// Settings and bindings are not compared: a broker shows them to nobody who may only look.
    ///
    /// - Parameters:
    ///   - connection: to the broker.
    ///   - user: who needs it.
    /// - Returns: the names that were looked for.
    /// - Throws: `.missing`, naming all that are.
    @discardableResult
    package func verify(
        on connection: AMQPConnection,
        for user: TopologyUser = .dispatcher
    ) throws(TopologyError) -> [String] {
        let (queues, exchanges) = needs(of: user)
        var missing: [String] = []
        for queue in queues where try !exists(queue, on: connection) { missing.append(queue) }
        for exchange in exchanges where try !exchangeExists(exchange, on: connection) { missing.append(exchange) }
        let wanted = queues + exchanges
        guard missing.isEmpty else { throw .missing(missing, isAll: missing.count == wanted.count) }
        return wanted
    }

    private func declare(_ queue: Queue, on connection: AMQPConnection, virtualHost: String?) throws(TopologyError) {
        do {
            try connection.declareQueue(queue.name, arguments: queue.arguments.map { ($0.name, $0.value) })
        } catch {
            guard error.code == .preconditionFailed else { throw .broker(queue.name, error) }
            if leadsToDispatch(queue, error) {
                throw .earlierBuild(
                    queues.map(\.name).filter(isDelayQueue),
                    dispatch: names.dispatch,
                    virtualHost: virtualHost,
                    cause: error
                )
            }
            throw .mismatch(queue.name, virtualHost: virtualHost, cause: error)
        }
    }

    /// The mark of an earlier build: its delay queues lead back to the dispatch queue.
    private func leadsToDispatch(_ queue: Queue, _ error: AMQPError) -> Bool {
        guard isDelayQueue(queue.name), let difference = InequivalentArgument(brokerText: error.text) else {
            return false
        }
        return difference.argument == Self.deadLetterTarget && difference.present == names.dispatch
    }

    private func isDelayQueue(_ name: String) -> Bool { name.hasPrefix(names.delayPrefix) }

    /// The exchanges, each with its queues.
    var exchanges: [(name: String, queues: [String])] {
        [(names.exchange, names.reachedByProducers), (names.replayExchange, names.reachedByReplays)]
    }

    private func declare(
        _ exchange: (name: String, queues: [String]),
        on connection: AMQPConnection
    ) throws(TopologyError) -> TopologyChange {
        let isThere = try exchangeExists(exchange.name, on: connection)
        do {
            try connection.declareExchange(exchange.name, type: "direct")
            for queue in exchange.queues {
                try connection.bindQueue(queue, to: exchange.name, routingKey: queue)
            }
        } catch {
            guard error.code == .preconditionFailed else { throw .broker(exchange.name, error) }
            throw .exchangeMismatch(exchange.name, cause: error)
        }
        return TopologyChange(kind: .exchange, name: exchange.name, change: isThere ? .exists : .created)
    }

    private func exists(_ queue: String, on connection: AMQPConnection) throws(TopologyError) -> Bool {
        try isThere(queue, on: connection) { () throws(AMQPError) in _ = try connection.inspectQueue(queue) }
    }

    private func exchangeExists(_ exchange: String, on connection: AMQPConnection) throws(TopologyError) -> Bool {
        try isThere(exchange, on: connection) { () throws(AMQPError) in try connection.inspectExchange(exchange) }
    }

    private func isThere(
        _ name: String,
        on connection: AMQPConnection,
        _ inspect: () throws(AMQPError) -> Void
    ) throws(TopologyError) -> Bool {
        do {
            if !connection.isChannelOpen { try connection.reopenChannel() }
            do {
                try inspect()
                return true
            } catch  where error.code == .notFound {
                try connection.reopenChannel()
                return false
            }
        } catch {
            throw .broker(name, error)
        }
    }
}
