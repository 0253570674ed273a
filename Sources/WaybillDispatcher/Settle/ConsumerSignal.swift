package import WaybillThreads

/// What the consumer's thread is told by the others.
package enum ConsumerSignal: Sendable {
    /// Every part of the message is durable.
    case settled(Finalizer)
    /// Some of the message is durable: the notifications at these positions in its batch.
    case partSettled(Finalizer, positions: [Int])
    /// Something the consumer may be waiting for has changed: the store is back, a lane is open.
    case reconsider
    /// Take nothing more, drain and end.
    case stop
}

extension Mailbox where Element == ConsumerSignal {
    /// Counts parts as settled, and signals them to the consumer.
    ///
    /// - Parameters:
    ///   - finalizer: the message's.
    ///   - parts: how many.
    ///   - positions: theirs in the batch; not asked for where they are the last ones.
    package func settle(_ finalizer: Finalizer, parts: Int, positions: @autoclosure () -> [Int]) {
        send(finalizer.settle(parts) ? .settled(finalizer) : .partSettled(finalizer, positions: positions()))
    }
}
