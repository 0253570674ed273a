import WaybillAPNS

extension InvalidTokenEvent {
    /// The event as the body of its message (`schemas/invalid-token-event.schema.json`).
    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(512)
        append("{\"device_token\":", deviceToken, to: &json)
        append(",\"reason\":", reason, to: &json)
        json += ",\"status_code\":\(statusCode)".utf8
        if let invalidSince { json += ",\"invalid_since\":\(invalidSince)".utf8 }
        json += ",\"observed_at\":\(observedAt)".utf8
        append(",\"apns_id\":", apnsID.description, to: &json)
        append(",\"batch_id\":", batchID, to: &json)
        if let client { append(",\"client\":", client, to: &json) }
        append(",\"lane\":", lane, to: &json)
        append(",\"topic\":", topic, to: &json)
        append(",\"environment\":", environment.rawValue, to: &json)
        append(",\"class\":", verdict.rawValue, to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }

    private func append(_ key: StaticString, _ value: String, to json: inout [UInt8]) {
        json += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        JSONText.appendString(value.utf8, to: &json)
    }
}
