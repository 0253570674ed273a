import WaybillAMQP
package import WaybillCore
package import WaybillDeliveryLog
import WaybillEncoding
package import WaybillFleet
import WaybillMessages
package import WaybillSettings

/// What lay in the rejected queue at one moment: why each message was rejected and whose it is, without its body.
package struct RejectedGlance: Sendable {
    /// Why nobody has looked, in words that begin small and end without a full stop.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
        /// Whether somebody else is at the queue: it can be looked into when they have ended.
        package let isHeldElsewhere: Bool

        package init(_ description: String, isHeldElsewhere: Bool = false) {
            self.description = description
            self.isHeldElsewhere = isHeldElsewhere
        }

        /// What the broker says, or what is wrong with its settings.
        package init(_ error: any Error) {
            let isRefused = (error as? AMQPError)?.code == .accessRefused
            self.init(isRefused ? "the broker refuses this user (\(error))" : "\(error)")
        }
    }

    package typealias Outcome = Result<RejectedGlance, Failure>

    /// How many messages waited in the queues that dispatchers read, whoever's.
    package struct Waiting: Hashable, Sendable {
        package var ready = 0
        package var delayed = 0
        /// Audience messages that nobody has entered yet.
        package var audiences = 0
        /// The queues that dispatchers read.
        package var consumed: [FleetHealth.Queue] = []
        /// The names of queues that are not there.
        package var missing: [String] = []

        package init(
            ready: Int = 0,
            delayed: Int = 0,
            audiences: Int = 0,
            consumed: [FleetHealth.Queue] = [],
            missing: [String] = []
        ) {
            self.ready = ready
            self.delayed = delayed
            self.audiences = audiences
            self.consumed = consumed
            self.missing = missing
        }
    }

    private struct Entry: Hashable {
        let message: BatchStory.Rejected
        let batch: String?
        let messageID: String?
        let client: String?
        /// Whether the detail may name what is not its client's business, such as a producer.
        let isRefusal: Bool
    }

    /// Longer would keep somebody waiting who asks something else.
    private static let patience = Duration.seconds(2)

    private let entries: [Entry]
    package let waiting: Waiting
    /// Whether another process may hold messages that are not among these.
    package let isHeldElsewhere: Bool
    /// Whether all that is in the queue was looked at.
    private let isWhole: Bool

    /// Looks at the oldest messages; others do not see them meanwhile.
    ///
    /// *Blocking:* a second or two; two more while another process holds the messages.
    ///
    /// - Parameters:
    ///   - broker: where the queue is.
    ///   - retry: the dispatchers' delay queues.
    ///   - limit: the most to look at.
    /// - Returns: what was there, or why it could not be seen.
    package static func look(
        _ broker: BrokerSettings,
        retry: RetryPolicy,
        limit: Int = RejectedQueue.mostMessages
    ) -> Outcome {
        do {
            return try RejectedQueue.use(broker, timeout: patience) { queue -> Outcome in
                let waiting = try count(queue, Topology(names: queue.names, delaySteps: retry.steps))
                // What is not there has no messages.
                guard !waiting.missing.contains(queue.names.rejected) else {
                    return .success(RejectedGlance([], waiting))
                }
                do {
                    let seen = try queue.seeBesideOthers(limit: limit)
                    return .success(
                        RejectedGlance(seen.messages, waiting, total: seen.total, isHeldElsewhere: seen.isShared)
                    )
                } catch is RejectedQueue.HeldElsewhere {
                    return .success(RejectedGlance([], waiting, isHeldElsewhere: true))
                }
            }
        } catch {
            return .failure(Failure(error))
        }
    }

    /// - Parameters:
    ///   - messages: what lay there.
    ///   - waiting: what waited beside it.
    ///   - total: how many messages there were; `nil` for no more than these.
    ///   - isHeldElsewhere: whether another process may hold others.
    package init(
        _ messages: [RejectedMessage],
        _ waiting: Waiting = Waiting(),
        total: Int? = nil,
        isHeldElsewhere: Bool = false
    ) {
        self.isHeldElsewhere = isHeldElsewhere
        isWhole = !isHeldElsewhere && (total ?? messages.count) <= messages.count
        entries = messages.map { message in
            let rejection = message.rejection
            return Entry(
                message: BatchStory.Rejected(
                    id: message.id,
                    reason: rejection.reason,
                    detail: rejection.detail,
                    date: rejection.firstSeen
                ),
                batch: rejection.batchID,
                messageID: message.messageID,
                client: rejection.client,
                isRefusal: BodyRejection.Reason(rawValue: rejection.reason)?.isRefusal ?? true
            )
        }
        self.waiting = waiting
    }

    /// Asks for numbers only.
    private static func count(_ queue: RejectedQueue, _ topology: Topology) throws(AMQPError) -> Waiting {
        var waiting = Waiting()
        let names = topology.names
        for name in topology.queues.map(\.name) {
            do throws(AMQPError) {
                let state = try queue.connection.inspectQueue(name)
                if names.consumed.contains(name) {
                    waiting.ready += state.messages
                    waiting.consumed.append(
                        FleetHealth.Queue(name: name, messages: state.messages, consumers: state.consumers)
                    )
                } else if name == names.audience {
                    waiting.audiences = state.messages
                } else if name.hasPrefix(names.delayPrefix) {
                    waiting.delayed += state.messages
                }
            } catch {
                guard error.code == .notFound else { throw error }
                waiting.missing.append(name)
                // The broker has ended the channel with its answer.
                try queue.connection.reopenChannel()
            }
        }
        let delays = topology.queues.map(\.name).filter { $0.hasPrefix(names.delayPrefix) }
        // Where none is there, whoever answers has not the dispatchers' steps: one that is needed is missing to those.
        if delays.allSatisfy(waiting.missing.contains) { waiting.missing.removeAll(where: delays.contains) }
        return waiting
    }

    /// The messages of a batch and of its parts, and the one whose message-id it is: what could not be read has no other name.
    ///
    /// - Parameters:
    ///   - name: the batch's.
    ///   - scope: whose messages are told of; who sees some clients alone is not told what a refusal names.
    /// - Returns: the oldest first.
    package func messages(of name: String, _ scope: DeliveryScope) -> [BatchStory.Rejected] {
        let isMeant = Self.isMeant(by: name)
        let same = Dictionary(grouping: entries) { ExactName($0.message.id) }
        return entries.filter(isMeant).filter { scope.includes(client: $0.client) }.map { entry in
            var message = entry.message
            if scope != .all, entry.isRefusal { message.detail = nil }
            message.sameID = same[message.id]?.count ?? 1
            message.sameIDElsewhere = same[message.id]?.count { !isMeant($0) } ?? 0
            return message
        }
    }

    /// The reasons for which nothing but messages of a batch was rejected; none where not all that was rejected is known.
    func reasons(ofNoneBut name: String) -> Set<String> {
        guard isWhole else { return [] }
        let isMeant = Self.isMeant(by: name)
        return Set(entries.filter(isMeant).map(\.message.reason))
            .subtracting(entries.filter { !isMeant($0) }.map(\.message.reason))
    }

    private static func isMeant(by name: String) -> (Entry) -> Bool {
        let batch = BatchName(name)
        return { $0.messageID.isExactly(name) || $0.batch.map(batch.includes) ?? false }
    }
}

extension RejectedGlance.Outcome {
    /// Whether another process holds messages, so that nobody knows whether one of a batch was rejected.
    package var isHeldElsewhere: Bool {
        switch self {
        case .success(let glance): glance.isHeldElsewhere
        case .failure(let failure): failure.isHeldElsewhere
        }
    }
}

extension RejectedGlance.Waiting {
    /// What waits, in a sentence; `nil` where nothing does.
    func sentence(_ unrecorded: Unrecorded) -> String? {
        let words = [(ready, "for a dispatcher"), (delayed, "in the delay queues")].filter { $0.0 > 0 }.map {
            count,
            place in
            "\(count == 1 ? "1 message waits" : "\(count) messages wait") \(place)"
        }
        return words.isEmpty ? nil : "\(words.joined(separator: ", and ")): \(unrecorded.subject) may be among them."
    }
}
