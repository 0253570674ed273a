import Testing
import WaybillCompression
import WaybillCore
import WaybillProviders

/// Every limit from both sides.
struct DecodingLimitsTests {
    @Test func bodySize() throws {
        let body = Samples.envelope
        let exact = DecodingLimits(maxBodySize: body.utf8.count)
        #expect(Samples.rejection(body, limits: exact) == nil)
        let rejection = Samples.rejection(body + " ", limits: exact)
        #expect(rejection?.reason == "too_large")
        #expect(rejection?.detail.contains("\(body.utf8.count)") == true)
        #expect(Samples.rejection("")?.reason == "empty")
    }

    @Test func inflatedSize() throws {
        let small = try Gzip.deflate(Array((Samples.envelope + String(repeating: " ", count: 2 << 20)).utf8))
        #expect(small.count < 1 << 16)
        #expect(Samples.rejection(small, MessageProperties(contentEncoding: "gzip"))?.reason == "too_large")
    }

    @Test(arguments: [(1, nil), (10_000, nil), (10_001, "too_many_notifications")] as [(Int, String?)])
    func notifications(count: Int, reason: String?) {
        let tokens = Array(repeating: "\"0f\"", count: count).joined(separator: ",")
        #expect(Samples.rejection("{\"message\":\"x\",\"device_tokens\":[\(tokens)]}")?.reason == reason)
        let items = Array(repeating: "{\"device_token\":\"0f\",\"message\":\"x\"}", count: count).joined(separator: ",")
        #expect(Samples.rejection("[\(items)]")?.reason == reason)
    }

    @Test func depth() throws {
        // The array, the notification, the payload and what is in it.
        func body(_ depth: Int) -> String {
            let inner = depth - 3
            return "[{\"device_token\":\"0f\",\"payload\":{\"a\":"
                + String(repeating: "[", count: inner) + String(repeating: "]", count: inner) + "}}]"
        }
        #expect(Samples.rejection(body(32)) == nil)
        #expect(Samples.rejection(body(33))?.reason == "too_deep")
        #expect(Samples.rejection(body(5), limits: DecodingLimits(maxDepth: 4))?.reason == "too_deep")
    }

    @Test(arguments: [
        ("alert", 4096, true), ("alert", 4097, false), ("voip", 5120, true), ("voip", 5121, false),
        ("hologram", 4097, false),
    ])
    func payloadSize(pushType: String, size: Int, isValid: Bool) throws {
        let frame = "{\"a\":\"\"}"
        let payload = "{\"a\":\"\(String(repeating: "x", count: size - frame.utf8.count))\"}"
        let item = try Samples.notification("\"payload\":\(payload),\"push_type\":\"\(pushType)\"")
        #expect((item.valid != nil) == isValid)
        if let reason = item.invalid?.reason {
            #expect(reason == "payload: is \(size) bytes as sent, more than \(pushType == "voip" ? 5120 : 4096)")
        }
    }

    /// The message counts as it is sent: its payload in UTF-8, not the producer's escapes.
    @Test func messageSize() throws {
        let frame = "{\"aps\":{\"alert\":\"\"}}".utf8.count
        let escaped = String(repeating: "\\u00e9", count: (4096 - frame) / 2)
        #expect(try Samples.notification("\"message\":\"\(escaped)\"").valid?.payload.count == 4096)
        let reason = try Samples.notification("\"message\":\"\(escaped)x\"").invalid?.reason
        #expect(reason == "message: is 4097 bytes as sent, more than 4096")
    }

    @Test(arguments: [(2, true), (400, true), (402, false)])
    func tokenDigits(count: Int, isValid: Bool) throws {
        let item = try Samples.notification("\"message\":\"x\"", token: String(repeating: "a", count: count))
        #expect((item.valid != nil) == isValid)
    }

    @Test func smallerLimitsOfAnOperator() throws {
        let limits = DecodingLimits(apns: APNSLimits(maxPayloadSize: 10, maxVoIPPayloadSize: 20, maxTokenDigits: 4))
        let batch = try Samples.decode(
            """
            [{"device_token":"0f0f","payload":{"a":1234}},{"device_token":"0f0f","payload":{"a":12345}},
            {"device_token":"0f0f","payload":{"a":12345},"push_type":"voip"},{"device_token":"0f0f0f","payload":{}}]
            """,
            limits: limits
        )
        #expect(batch.items.map { $0.valid != nil } == [true, false, true, false])
    }

    @Test(arguments: [
        ("{\"lane\":\"nowhere\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}", "unknown_lane"),
        ("{\"lane\":\"\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}", "unknown_lane"),
        ("not json", "not_json"), ("[{]", "not_json"), ("{\"notifications\":[]}", "no_notifications"),
        ("[]", "no_notifications"), ("7", "bad_value"), ("{}", "missing_field"),
        ("{\"batch_id\":\"\\ud83d\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}", "bad_value"),
        (
            "{\"client\":\"\(String(repeating: "é", count: 128))\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}",
            "bad_value"
        ),
        ("{\"notifications\":[7],\"device_tokens\":[7]}", "ambiguous_form"),
        ("{\"notifications\":[7],\"topic\":\"x\"}", "misplaced_field"), ("{\"surprise\":[7]}", "unknown_field"),
        // What a scanner finds later goes before what the envelope says.
        ("{\"surprise\":[7],", "not_json"),
    ])
    func rejections(body: String, reason: String) {
        #expect(Samples.rejection(body)?.reason == reason)
    }

    @Test func rejectionsRepeatNoContent() {
        let secret = Samples.token
        for body in [
            "{\"\(secret)\":1}", "{\"lane\":\"\(secret)\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}", "[\(secret)]",
            "{\"defaults\":{\"\(secret)\":1},\"notifications\":[7]}", "{\"notifications\":\"\(secret)\"}",
        ] {
            let rejection = Samples.rejection(body)
            #expect(rejection != nil)
            #expect(rejection?.detail.contains(secret.prefix(8)) == false)
        }
    }

    @Test func notUTF8() {
        let body = Array("[{\"device_token\":\"0f\",\"message\":\"".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
        #expect(Samples.rejection(body) == BodyRejection(.notUTF8, "not UTF-8 at byte 33"))
    }
}
