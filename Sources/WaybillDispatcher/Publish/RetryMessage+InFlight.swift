import WaybillAMQP
import WaybillCore
import WaybillMessages

extension RetryMessage {
    /// The message that carries some items of a message back to the dispatchers.
    ///
    /// - Parameters:
    ///   - message: in flight.
    ///   - positions: in its batch's items.
    ///   - pass: which pass over the items the retry asks for.
    ///   - identity: what its ids derive from, if that is to be something new.
    ///   - isCopy: the broker may have it already, or its items may have been pushed.
    ///   - wait: how long it will wait and why, if it was not sent.
    /// - Returns: what to publish.
    static func make(
        _ message: InFlightMessage,
        positions: [Int],
        pass: Int,
        identity: MessageIdentity? = nil,
        isCopy: Bool = false,
        wait: LaneWait? = nil
    ) -> (properties: AMQPProperties, body: [UInt8]) {
        let header = RetryHeader(
            attempt: pass,
            indexes: positions.map { message.batch.items[$0].index },
            identity: identity ?? message.batch.identity,
            family: message.origin.family
        )
        let origin = Origin(
            messageID: message.origin.messageID,
            timestamp: message.origin.timestamp,
            firstSeen: message.origin.firstSeen,
            producer: message.origin.producer,
            isBulk: message.isBulk,
            waited: wait.map { message.origin.waited.adding($0) } ?? message.origin.waited
        )
        let properties = properties(header, origin: origin, isCopy: isCopy)
        return (properties, RetryEnvelope.encode(message.batch, positions: positions))
    }
}
