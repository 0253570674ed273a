package import WaybillAMQP
package import WaybillEncoding
package import WaybillMessages
package import WaybillSettings
import WaybillThreads

/// The rejected queue, read without a change to it.
///
/// One consumer takes everything it may hold, however few of it are wanted. When its channel ends, a quorum queue keeps what
/// comes back in front of what nobody has seen, but behind what came back before: whoever takes a few of these and gives
/// them back moves them to the end. Who always takes all of them keeps them in order. A look counts as a delivery, and the
/// queue has no limit of these.
package struct RejectedQueue {
    /// The most that a consumer of a quorum queue may hold, and so the most that ever come back at once.
    package static let mostMessages = 2000

    /// How long the broker may take to hand out the next one: another reader may have it.
    private static let patience = Duration.seconds(2)
    private static let pause = Duration.milliseconds(200)

    let connection: AMQPConnection
    package let names: QueueNames

    /// Connects for as long as a body takes.
    package static func use<Result>(
        _ broker: BrokerSettings,
        timeout: Duration = .seconds(10),
        _ body: (RejectedQueue) throws -> Result
    ) throws -> Result {
        let connection = try AMQPConnection.open(try broker.endpoint(for: "rejected"), timeout: timeout)
        // What was not acknowledged goes back with this.
        defer { connection.close() }
        return try body(RejectedQueue(connection: connection, names: broker.queues))
    }

    /// That another process has taken what there is.
    package struct HeldElsewhere: Error, Hashable, CustomStringConvertible {
        /// The queue's name.
        package let queue: String

        package var description: String {
            "none of \(queue) is ready: another process holds its messages (unacknowledged), as each look at them does; "
                + "nothing was done; try again when it has ended"
        }
    }

    /// Takes the oldest messages as ``look(limit:expected:)`` does, unless another process has them.
    ///
    /// One that has just ended gives back what it had a moment later, and is waited for.
    ///
    /// - Parameter limit: the most to read.
    /// - Returns: how many there are, and the ones that were taken, in the queue's order.
    /// - Throws: ``HeldElsewhere``, and what the broker says.
    package func see(limit: Int) throws -> (total: Int, messages: [RejectedMessage]) {
        let seen = try seeBesideOthers(limit: limit)
        return (seen.total, seen.messages)
    }

    /// The same, and whether another process may hold messages besides.
    func seeBesideOthers(limit: Int) throws -> (total: Int, messages: [RejectedMessage], isShared: Bool) {
        let hasReaders = try awaitMessages()
        let seen = try look(limit: limit)
        // Somebody may have been quicker.
        guard seen.total == 0 || !seen.messages.isEmpty else { throw HeldElsewhere(queue: names.rejected) }
        return (seen.total, seen.messages, hasReaders || seen.messages.count < min(limit, seen.total))
    }

    /// Waits for what another process has taken, and gives back in a moment.
    ///
    /// - Returns: whether somebody reads the queue all the same.
    private func awaitMessages() throws -> Bool {
        let end = ContinuousClock.now + Self.patience
        while true {
            let state = try connection.inspectQueue(names.rejected)
            guard state.messages == 0, state.consumers > 0 else { return state.consumers > 0 }
            guard .now < end else { throw HeldElsewhere(queue: names.rejected) }
            NamedThread.sleep(for: Self.pause) { false }
        }
    }

    /// Takes the oldest messages; they are given back when the connection ends.
    ///
    /// - Parameters:
    ///   - limit: the most to read; the others that may be held are taken, too, and stay with the socket.
    ///   - expected: how many there are, where the broker may not have counted yet what was given back; `nil` asks it.
    /// - Returns: how many there are, and the ones that were taken, in the queue's order.
    /// - Throws: what the broker says.
    package func look(limit: Int, expected: Int? = nil) throws(AMQPError) -> (total: Int, messages: [RejectedMessage]) {
        let counted = try connection.inspectQueue(names.rejected).messages
        let total = expected ?? counted
        let wanted = min(limit, total)
        guard wanted > 0 else { return (total, []) }
        try connection.setPrefetch(count: UInt16(Self.mostMessages))
        try connection.startConsuming(queue: names.rejected, consumerTag: "waybill-rejected")
        var messages: [RejectedMessage] = []
        while messages.count < wanted, let event = try connection.nextEvent(timeout: Self.patience) {
            switch event {
            case .delivery(let delivery):
                messages.append(RejectedMessage(delivery, position: messages.count + 1, names: names))
            case .channelClosed(let error): throw error
            case .consumerCancelled, .confirmed, .refused, .returned, .blocked, .unblocked: break
            }
        }
        return (total, messages)
    }

    /// Handles messages and takes each off the queue afterwards.
    ///
    /// A few at a time, each time on a channel of its own: the broker keeps further acknowledgements back after 32 of one
    /// channel, and forgets what it has kept when the channel ends. The end of a channel gives back what was looked at, in
    /// its order, and is answered after all acknowledgements before it.
    ///
    /// - Parameters:
    ///   - limit: how many of the oldest to look at.
    ///   - isMeant: which of them to handle.
    ///   - confirms: asked once, with all that are meant; `false` handles none.
    ///   - handle: what to do with one before it is taken off.
    ///   - done: told after each few how many are off the queue.
    /// - Returns: how many messages there were.
    /// - Throws: ``HeldElsewhere``, what the broker says, and what `handle` throws; what was handled before that is off the
    ///   queue.
    package func remove(
        limit: Int,
        where isMeant: (RejectedMessage) -> Bool,
        if confirms: ([RejectedMessage]) throws -> Bool,
        after handle: (RejectedMessage) throws -> Void,
        done: (Int) -> Void
    ) throws -> Int {
        let (total, first) = try see(limit: limit)
        var messages = first
        var meant = messages.filter(isMeant)
        // What is rejected again while this runs comes behind them.
        var left = meant.count
        var rest = total
        guard left > 0, try confirms(meant) else { return total }
        while left > 0, !meant.isEmpty {
            let few = meant.prefix(min(left, Self.acknowledgements))
            var handled = 0
            defer { done(handled) }
            for message in few {
                try handle(message)
                try connection.acknowledge(message.deliveryTag, multiple: false)
                handled += 1
            }
            try connection.reopenChannel()
            left -= few.count
            rest -= few.count
            guard left > 0 else { break }
            messages = try look(limit: limit, expected: rest).messages
            meant = messages.filter(isMeant)
        }
        return total
    }

    /// Waits, and looks which messages have come back.
    ///
    /// - Parameters:
    ///   - ids: which, as ``RejectedMessage/id`` names them. One without a message-id is not found: it has another name then.
    ///   - patience: how long to wait.
    /// - Returns: how many are in the queue; of two with one id, both.
    /// - Throws: what the broker says.
    package func returned(_ ids: Set<ExactName>, within patience: Duration) throws(AMQPError) -> Int {
        NamedThread.sleep(for: patience) { false }
        try connection.reopenChannel()
        return try look(limit: Self.mostMessages).messages.count { ids.containsExactly($0.id) }
    }

    /// Half of what the broker takes of one channel before it keeps some back.
    private static let acknowledgements = 16
}
