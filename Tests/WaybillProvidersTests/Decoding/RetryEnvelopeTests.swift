import Testing
import WaybillCore
import WaybillMessages
import WaybillProviders

/// A delayed retry gives the same notifications, whatever the form of the message was.
struct RetryEnvelopeTests {
    static let bodies = [
        Samples.envelope,
        "{\"notifications\":[{\"device_token\":\"0f\",\"message\":\"a\"},{\"device_token\":\"1f\",\"message\":\"b\"}]}",
        """
        [ {"device_token":"0F", "message":"\\u00e9", "apns_id":"\(Samples.apnsID)"},
          {"x-a":1,"device_token":"1f","payload":{"a":[1]},"collapse_id":null} ]
        """,
        """
        {"x-trace":1,"device_tokens":["0f","1F"],"service_id":"s\\"1","batch_id":"b\\"\\u00e9","defaults":{"priority":5,"badge":2},
         "client":"acme", "message":"hello", "lane":"parcels-sandbox","title":"T","collapse":"notification","max_age":60}
        """,
        "{\"payload\":{ \"aps\":{} },\"push_type\":\"voip\",\"device_tokens\":[\"0f\",\"\\u0031f\"]}",
        "{\"payload\":{\"aps\":{\"content-available\":1}},\"device_tokens\":[\"0f\",\"1f\"]}",
    ]

    static let properties = [
        MessageProperties(), MessageProperties(messageID: "m\"1", timestampMilliseconds: 1_795_000_000_000),
        MessageProperties(messageID: "0192f0c1-2345-7abc-8def-0123456789ab"),
        MessageProperties(firstSeenMilliseconds: 1_795_000_000_000),
    ]

    @Test(arguments: bodies, properties)
    func roundTrip(body: String, properties: MessageProperties) throws {
        let first = try Samples.decode(body, properties)
        for positions in [[0], [1], [0, 1]] {
            let retried = try retry(first, positions, properties, attempt: 2)
            expectSame(retried, first, positions)
            // A retry of the retry, the last time around.
            let again = try retry(retried, [positions.count - 1], properties, attempt: 3)
            expectSame(again, first, [positions[positions.count - 1]])
        }
    }

    private func retry(
        _ batch: Batch,
        _ positions: [Int],
        _ properties: MessageProperties,
        attempt: Int,
        limits: DecodingLimits = DecodingLimits()
    ) throws -> Batch {
        var properties = properties
        properties.retry = RetryHeader(
            attempt: attempt,
            indexes: positions.map { batch.items[$0].index },
            identity: batch.identity
        )
        let body = RetryEnvelope.encode(batch, positions: positions)
        return try Samples.decoder(limits).decode(body, properties: properties).get()
    }

    private func expectSame(_ retried: Batch, _ first: Batch, _ positions: [Int]) {
        #expect(retried.id == first.id)
        #expect(retried.client == first.client)
        #expect(retried.serviceID == first.serviceID)
        #expect(retried.lane == first.lane)
        #expect(retried.items.map(\.index) == positions.map { first.items[$0].index })
        for (item, position) in zip(retried.items, positions) {
            let original = first.items[position]
            guard let notification = item.valid, let expected = original.valid else {
                Issue.record("an item became invalid")
                continue
            }
            #expect(item.source == original.source)
            #expect(notification.id == expected.id)
            #expect(notification.fingerprint == expected.fingerprint)
            #expect(notification.deviceToken == expected.deviceToken)
            #expect(notification.payload == expected.payload)
            #expect(notification.message == expected.message)
            #expect(notification.collapseKey == expected.collapseKey)
            #expect(notification.topic == expected.topic)
            #expect(notification.kind == expected.kind && notification.isKindDerived == expected.isKindDerived)
            #expect(notification.priority == expected.priority)
            #expect(notification.expiration == expected.expiration)
            #expect(notification.expirationFrom == expected.expirationFrom)
            #expect(notification.maxAge == expected.maxAge)
            #expect(notification.onUnknown == expected.onUnknown)
        }
    }

    /// A message at the limits of size and depth can be retried as a whole.
    @Test func messagesAtTheLimits() throws {
        let payload = "{\"a\":" + String(repeating: "[", count: 29) + String(repeating: "]", count: 29) + "}"
        let start = "[{\"device_token\":\"0f\",\"payload\":\(payload)},{\"device_token\":\"0f\",\"x-fill\":\""
        let end = "\",\"message\":\"x\"}]"
        let fill = (1 << 20) - start.utf8.count - end.utf8.count
        let body = start + String(repeating: "x", count: fill) + end
        let properties = MessageProperties(messageID: String(repeating: "\"", count: 255))
        let first = try Samples.decode(body, properties)
        let retried = try retry(first, [0, 1], properties, attempt: 2)
        expectSame(retried, first, [0, 1])
    }

    /// A bare array, whose retry is deeper than itself, at every limit that can be configured.
    @Test(arguments: [3, 4, 32, DecodingLimits.depthCeiling])
    func messagesAtTheDepthLimit(depth: Int) throws {
        func body(depth: Int) -> String {
            // The array, the notification, the payload and what is in it.
            let inner = depth - 3
            let value = String(repeating: "[", count: inner) + "0" + String(repeating: "]", count: inner)
            return "[{\"device_token\":\"0f\",\"payload\":{\"a\":\(value)}}]"
        }
        let limits = DecodingLimits(maxDepth: depth)
        let properties = MessageProperties(messageID: "m")
        #expect(Samples.rejection(body(depth: depth + 1), properties, limits: limits)?.reason == "too_deep")
        let first = try Samples.decode(body(depth: depth), properties, limits: limits)
        let retried = try retry(first, [0], properties, attempt: 2, limits: limits)
        expectSame(retried, first, [0])
        let again = try retry(retried, [0], properties, attempt: 3, limits: limits)
        expectSame(again, first, [0])
    }

    @Test func headersThatDoNotFit() {
        let body = "{\"message\":\"x\",\"device_tokens\":[\"0f\"]}"
        for indexes in [[], [0, 1]] {
            let properties = MessageProperties(retry: Self.header(2, indexes))
            #expect(Samples.rejection(body, properties)?.reason == "bad_retry_header")
        }
    }

    private static let digest = MessageDigest(high: 1, low: 2)

    private static func header(_ attempt: Int, _ indexes: [Int]) -> RetryHeader {
        RetryHeader(
            attempt: attempt,
            indexes: indexes,
            identity: MessageIdentity(milliseconds: nil, digest: digest)
        )
    }
}
