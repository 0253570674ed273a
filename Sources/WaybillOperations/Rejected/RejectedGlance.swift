import WaybillAMQP
import WaybillCore
package import WaybillDeliveryLog
import WaybillMessages
package import WaybillSettings

/// What lay in the rejected queue at one moment: why each message was rejected and whose it is, without its body.
package struct RejectedGlance: Sendable {
    private struct Entry: Hashable {
        let message: BatchStory.Rejected
        let batch: String
        let client: String?
        /// Whether the detail may name what is not its client's business, such as a producer.
        let isRefusal: Bool
    }

    /// Longer would keep somebody waiting who asks something else.
    private static let patience = Duration.seconds(2)

    private let entries: [Entry]

    /// Looks at the oldest messages; others do not see them meanwhile.
    ///
    /// *Blocking:* a second or two.
    ///
    /// - Parameters:
    ///   - broker: where the queue is.
    ///   - limit: the most to look at.
    /// - Throws: what the broker says.
    package init(_ broker: BrokerSettings, limit: Int = RejectedQueue.mostMessages) throws {
        let messages = try RejectedQueue.use(broker, timeout: Self.patience) { try $0.look(limit: limit).messages }
        entries = messages.compactMap { message in
            message.rejection.batchID.map { batch in
                let rejection = message.rejection
                return Entry(
                    message: BatchStory.Rejected(
                        id: message.id,
                        reason: rejection.reason,
                        detail: rejection.detail,
                        date: rejection.firstSeen
                    ),
                    batch: batch,
                    client: rejection.client,
                    isRefusal: BodyRejection.Reason(rawValue: rejection.reason)?.isRefusal ?? true
                )
            }
        }
    }

    /// The messages of a batch and of its parts.
    ///
    /// - Parameters:
    ///   - name: the batch's.
    ///   - scope: whose messages are told of; who sees some clients alone is not told what a refusal names.
    /// - Returns: the oldest first.
    package func messages(of name: String, _ scope: DeliveryScope) -> [BatchStory.Rejected] {
        let batch = BatchName(name)
        return entries.filter { batch.includes($0.batch) && scope.includes(client: $0.client) }.map { entry in
            var message = entry.message
            if scope != .all, entry.isRefusal { message.detail = nil }
            return message
        }
    }
}
