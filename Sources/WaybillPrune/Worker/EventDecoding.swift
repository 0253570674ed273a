import WaybillAMQP
import WaybillCore
import WaybillMessages

/// Reads an event out of a message.
enum EventDecoding {
    static func decode(_ delivery: AMQPDelivery) -> Result<InvalidTokenEvent, MalformedEvent> {
        do {
            return .success(try InvalidTokenEvent(decoding: delivery.body))
        } catch {
            return .failure(MalformedEvent(delivery: delivery, reason: error.reason, detail: error.detail))
        }
    }
}
