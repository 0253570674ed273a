package import WaybillThreads

/// What the consumer's thread is told by the others.
package enum ConsumerSignal: Sendable {
    /// Every part of the message is durable.
    case settled(Finalizer)
    /// Something the consumer may be waiting for has changed: the store is back, a lane is open.
    case reconsider
    /// Take nothing more, drain and end.
    case stop
}

extension Mailbox where Element == ConsumerSignal {
    /// Counts parts as settled and tells the consumer when a message is done.
    package func settle(_ finalizer: Finalizer, parts: Int) {
        if finalizer.settle(parts) { send(.settled(finalizer)) }
    }
}
