package import WaybillAMQP
package import WaybillCore
import WaybillEncoding

extension InvalidTokenEvent {
    /// The numbers that an event may hold, for who writes it and who reads it.
    ///
    /// Readers of JSON agree on whole numbers up to 2^53.
    static let numbers: ClosedRange<Int64> = 0...9_007_199_254_740_992

    /// The properties to publish the event with.
    package var properties: AMQPProperties {
        AMQPProperties(
            contentType: "application/json",
            messageID: notificationID.description,
            type: "waybill.invalid-token"
        )
    }

    /// The event as the body of its message (`schemas/invalid-token-event.schema.json`).
    ///
    /// A provider's date that no event may hold is left out: the event would be refused as a whole, and the token
    /// never pruned.
    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(512)
        append("{\"device_token\":", deviceToken, to: &json)
        if let provider { append(",\"provider\":", provider, to: &json) }
        append(",\"reason\":", reason, to: &json)
        json += ",\"status_code\":\(statusCode)".utf8
        if let invalidSince, Self.numbers.contains(invalidSince) { json += ",\"invalid_since\":\(invalidSince)".utf8 }
        json += ",\"observed_at\":\(observedAt)".utf8
        append(",\"apns_id\":", notificationID.description, to: &json)
        append(",\"batch_id\":", batchID, to: &json)
        if let client { append(",\"client\":", client, to: &json) }
        append(",\"lane\":", lane, to: &json)
        append(",\"topic\":", topic, to: &json)
        if let environment { append(",\"environment\":", environment.rawValue, to: &json) }
        append(",\"class\":", verdict.rawValue, to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }

    private func append(_ key: StaticString, _ value: String, to json: inout [UInt8]) {
        json += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        JSONText.appendString(value.utf8, to: &json)
    }
}
