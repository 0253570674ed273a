package import WaybillSettings
package import WaybillThreads

/// What an operator does to rejected messages, within a time.
///
/// *Thread:* any, one at a time for a queue: who looks at it hides it from others. *Blocking:* as long as the broker takes.
package struct RejectedWork: Sendable {
    package enum Verb: Sendable {
        /// Back to the dispatchers, each with the broker's word that it is there before it leaves the queue.
        case replay
        /// Away for good.
        case drop
    }

    /// What was done.
    package struct Result: Hashable, Sendable {
        /// To how many messages.
        package let count: Int
        /// How many are left in the queue; `nil` where the time was up before all that were meant had their turn.
        package let left: Int?
        /// How many of the replayed have come straight back: what was wrong with them still is.
        ///
        /// `nil` where nobody looked, because nothing was replayed or the time was up.
        package let returned: Int?
    }

    private struct TimeIsUp: Error {}

    /// How long to wait for what a dispatcher rejects at once: it takes milliseconds.
    package static let returnPatience = Duration.seconds(2)

    private let broker: BrokerSettings

    package init(_ broker: BrokerSettings) { self.broker = broker }

    /// The oldest messages, and how many there are.
    ///
    /// - Throws: ``RejectedQueue/HeldElsewhere`` where another process has them; what the broker says.
    package func look(limit: Int) throws -> (total: Int, messages: [RejectedMessage]) {
        try RejectedQueue.use(broker) { try $0.see(limit: limit) }
    }

    /// Does something to messages and takes each off the queue afterwards.
    ///
    /// - Parameters:
    ///   - verb: what.
    ///   - selection: to which of them.
    ///   - limit: how many of the oldest to look at.
    ///   - deadline: no message has its turn afterwards.
    /// - Returns: what was done by then.
    /// - Throws: ``RejectedSelection/SharedID`` where an id names several messages, and ``RejectedQueue/HeldElsewhere`` where
    ///   another process has them, and nothing is done; what the broker says,
    ///   and what was done before that is done.
    package func perform(
        _ verb: Verb,
        _ selection: RejectedSelection,
        limit: Int,
        until deadline: MonotonicTime
    ) throws -> Result {
        try RejectedQueue.use(broker) { queue in
            let replayer = try verb == .replay ? RejectedReplayer(broker: broker, names: queue.names) : nil
            defer { replayer?.close() }
            var count = 0
            var replayed: Set<String> = []
            do {
                let total = try queue.remove(
                    limit: limit,
                    where: selection.contains,
                    if: { meant in
                        if let shared = selection.ambiguousID(among: meant) { throw shared }
                        return true
                    },
                    after: { message in
                        guard MonotonicTime.now() < deadline else { throw TimeIsUp() }
                        guard let replayer else { return }
                        try replayer.replay(message)
                        replayed.insert(message.id)
                    },
                    done: { count += $0 }
                )
                let hasTime = MonotonicTime.now().advanced(by: Self.returnPatience) <= deadline
                // What was done is done, whether or not the broker says what became of it.
                let returned =
                    replayed.isEmpty || !hasTime ? nil : try? queue.returned(replayed, within: Self.returnPatience)
                return Result(count: count, left: max(0, total - count), returned: returned)
            } catch is TimeIsUp {
                return Result(count: count, left: nil, returned: nil)
            }
        }
    }
}
