import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillReceipts

/// A repeat on its way to the dispatchers.
///
/// It goes where delayed retries go, for only there headers count, and a header says whose repeat it is: what was published once
/// more after a crash has the same id, and a dispatcher finds its record.
struct RepeatMessage: Hashable {
    let member: FamilyMember
    /// Of its family, in seconds.
    let interval: Int
    private let message: UnacknowledgedNotification.Message
    /// The broker may have it already.
    private let isCopy: Bool
    private let now: Int64

    /// - Parameters:
    ///   - family: the family, claimed.
    ///   - number: which repeat.
    ///   - now: milliseconds since 1970.
    init(_ family: UnacknowledgedStore.Claimed, number: Int, now: Int64) {
        member = family.member(number)
        interval = family.notification.rule.interval
        message = family.notification.message
        isCopy = family.isDoubtful
        self.now = now
    }

    /// What is published to which queue.
    func publication(to queues: QueueNames) -> AMQPPublication {
        let header = RetryHeader(
            attempt: 1,
            indexes: [0],
            identity: member.identity(interval: interval),
            family: member
        )
        let origin = RetryMessage.Origin(
            messageID: message.messageID,
            timestamp: message.timestamp,
            firstSeen: now,
            producer: message.producer,
            isBulk: message.isBulk
        )
        return AMQPPublication(
            routingKey: queues.retry,
            properties: RetryMessage.properties(header, origin: origin, isCopy: isCopy),
            body: message.body
        )
    }
}
