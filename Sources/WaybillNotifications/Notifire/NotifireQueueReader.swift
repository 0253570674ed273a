package import WaybillAMQP
package import WaybillMessages
package import WaybillMongo
package import WaybillThreads

/// Takes the messages of the thesis' queue, on a thread of its own (`wb-notifire`).
///
/// A message is acknowledged when its notification is stored with majority and the broker has confirmed what it became, or when
/// the rejected queue has it with the reason.
package final class NotifireQueueReader: Sendable {
    /// What people should know.
    package enum Event: Hashable, Sendable {
        /// - Parameter waiting: messages in the queue at that moment.
        case consuming(queue: String, waiting: Int)
        /// - Parameter reason: of the first failure after it has worked, or at the start.
        case failed(reason: String)
        /// - Parameters:
        ///   - reason: one word.
        ///   - detail: the field and its limit; never content.
        case rejected(reason: String, detail: String)
    }

    /// Where it takes from, and where it hands to.
    package struct Place: Sendable {
        package var queue: String
        package var endpoint: AMQPEndpoint
        package var queues: QueueNames

        package init(queue: String, endpoint: AMQPEndpoint, queues: QueueNames) {
            self.queue = queue
            self.endpoint = endpoint
            self.queues = queues
        }
    }

    /// Counts a notification of a service and its owner's account, and says how many seconds too early it is; `nil`: it is not.
    package typealias Admission = @Sendable (_ service: String, _ owner: String) -> Int?

    package let watch = LoopWatch(name: "wb-notifire")
    private let end = SharedFlag()

    /// Starts the thread, which connects at once and again whenever it must.
    ///
    /// - Parameters:
    ///   - place: the queue.
    ///   - pool: with a client for it.
    ///   - intake: makes what stores notifications, of the thread's client.
    ///   - admission: holds services to what they may say.
    ///   - onEvent: hears on the thread what people should know.
    /// - Throws: `ThreadError`.
    package init(
        place: Place,
        pool: MongoPool,
        intake: @escaping @Sendable (MongoClient) -> NotificationIntake,
        admission: @escaping Admission,
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws {
        let (watch, end) = (watch, end)
        _ = try NamedThread.start(name: watch.name) {
            NotifireQueueLoop(place, pool, intake, QueueAllowance(admission), watch, end, onEvent).run()
        }
    }

    /// Ends the thread within a moment; what it has not acknowledged comes again.
    package func stop() { end.set() }
}
