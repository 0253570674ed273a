/// Who uses the broker: each needs some of the exchanges and the queues.
package enum TopologyUser: Sendable {
    /// All that `init` makes.
    case installation
    /// Consumes, puts off, reports and rejects: all queues.
    case dispatcher
    /// Publishes messages to the exchange, which leads to the dispatch queues.
    case producer
    /// Consumes the events, and rejects what it cannot read.
    case pruner
    /// Consumes audience messages, publishes to the dispatch queues and the bulk queue, and rejects.
    case fanout
    /// Publishes audience messages, and what services say, to the exchange, and what nobody has acknowledged to the retry queue.
    case scheduler
    /// Looks at rejected messages, and sends them again.
    case replayer
}

extension Topology {
    /// The names that a user needs, those of queues in the order in which they are declared.
    func needs(of user: TopologyUser) -> (queues: [String], exchanges: [String]) {
        switch user {
        case .installation: (queues.map(\.name), exchanges.map(\.name))
        case .dispatcher: (queues.map(\.name), [names.exchange])
        case .producer: (names.dispatchQueues, [names.exchange])
        case .pruner: ([names.rejected, names.invalidTokens], [])
        case .fanout: ([names.rejected, names.audience] + names.consumed, [])
        case .scheduler: (names.dispatchQueues + [names.audience, names.retry], [names.exchange])
        case .replayer: ([names.rejected, names.invalidTokens, names.audience, names.retry], [names.replayExchange])
        }
    }
}
