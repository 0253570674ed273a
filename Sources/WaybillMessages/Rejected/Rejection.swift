package import WaybillAMQP

/// Why a message is in the rejected queue, as far as its headers can be believed.
package struct Rejection: Hashable, Sendable {
    /// Whether headers that look like Waybill's are Waybill's.
    ///
    /// What the broker has moved here by itself still has all that its producer wrote, and only to the retry queue no
    /// producer writes.
    package let hasOurHeaders: Bool
    /// One word: Waybill's, or the broker's for a message that was delivered too often.
    package let reason: String
    /// A sentence of Waybill's.
    package let detail: String?
    /// The queue that the message was in before.
    package let queue: String?
    package let client: String?
    package let batchID: String?
    /// The user that published it, as the broker or the dispatcher that took it knew him.
    package let producer: String?
    /// Milliseconds since 1970.
    package let firstSeen: Int64?

    /// Reads the headers of a message that was taken from the rejected queue.
    package init(_ properties: AMQPProperties, queues: QueueNames) {
        let lastDeath = BrokerTraces.LastDeath(of: properties)
        let isOurs = lastDeath.map { $0.queue == queues.retry } ?? true
        func text(_ header: MessageHeader) -> String? { isOurs ? properties[header]?.text : nil }
        hasOurHeaders = isOurs
        reason = text(.reason) ?? lastDeath?.reason ?? "unknown"
        detail = text(.detail)
        queue = text(.queue) ?? lastDeath?.queue
        client = text(.client)
        batchID = text(.batch)
        producer = text(.producer) ?? properties.userID
        firstSeen = isOurs ? properties[.firstSeen]?.integer : nil
    }

    /// The headers of a message that are not Waybill's.
    package func otherHeaders(of properties: AMQPProperties) -> [(name: String, value: AMQPValue)] {
        properties.headers.filter { !(hasOurHeaders && MessageHeader.isOurs($0.name)) }
    }
}
