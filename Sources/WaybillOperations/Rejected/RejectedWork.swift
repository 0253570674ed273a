import WaybillAMQP
import WaybillEncoding
import WaybillFleet
import WaybillMessages
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

    /// A replay that the broker has stopped: what was replayed before that is.
    package struct Stopped: Error {
        let progress: ReplayProgress
        /// The broker's words on an alarm that lasts; `nil` where there is none.
        let alarm: String?
        let error: AMQPError

        /// What became of the messages, and why.
        package var text: String {
            let cause = MissingOnBroker(in: "\(error)")?.withRemedy ?? "\(error)"
            return progress.end(with: alarm.map { "the broker takes nothing: it has an alarm (\($0))" } ?? cause)
        }
    }

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
    ///   another process has them, and nothing is done; ``Stopped`` where the broker does not take what is replayed; what the
    ///   broker says otherwise, and what was done before that is done.
    package func perform(
        _ verb: Verb,
        _ selection: RejectedSelection,
        limit: Int,
        until deadline: MonotonicTime
    ) throws -> Result {
        try RejectedQueue.use(broker) { queue in
            let replayer = try verb == .replay ? RejectedReplayer(broker: broker, names: queue.names) : nil
            defer { replayer?.close() }
            var progress = ReplayProgress(queue: queue.names.rejected)
            var replayed: Set<ExactName> = []
            var alarm: String?
            do {
                let total = try queue.remove(
                    limit: limit,
                    where: selection.contains,
                    if: { meant in
                        progress.matched = meant.count
                        if let shared = selection.ambiguousID(among: meant) { throw shared }
                        return true
                    },
                    after: { message in
                        let left = deadline.duration(since: .now())
                        guard left > .zero else { throw TimeIsUp() }
                        guard let replayer else { return }
                        progress.underWay = message.id
                        try replayer.replay(message, patience: min(RejectedReplayer.patience, left)) { alarm = $0 }
                        progress.underWay = nil
                        replayed.insert(ExactName(message.id))
                    },
                    done: { progress.replayed += $0 }
                )
                let hasTime = MonotonicTime.now().advanced(by: Self.returnPatience) <= deadline
                // What was done is done, whether or not the broker says what became of it.
                let returned =
                    replayed.isEmpty || !hasTime ? nil : try? queue.returned(replayed, within: Self.returnPatience)
                return Result(count: progress.replayed, left: max(0, total - progress.replayed), returned: returned)
            } catch is TimeIsUp {
                return Result(count: progress.replayed, left: nil, returned: nil)
            } catch let error as AMQPError where progress.underWay != nil {
                throw Stopped(progress: progress, alarm: alarm, error: error)
            }
        }
    }
}
