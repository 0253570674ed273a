import Testing
import WaybillCore
import WaybillMessages

struct InvalidTokenEventTests {
    private static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    private static let apnsID = "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"

    static let dead = InvalidTokenEvent(
        deviceToken: token,
        reason: "Unregistered",
        statusCode: 410,
        invalidSince: 1_795_000_000_123,
        observedAt: 1_795_000_001_456,
        notificationID: NotificationID(apnsID) ?? NotificationID(high: 0, low: 0),
        batchID: "campaign \"42\"\n",
        client: "acme",
        lane: "parcels-production",
        topic: "com.example.parcels",
        environment: .production,
        verdict: .dead
    )

    @Test func encoding() {
        #expect(
            Self.dead.encoded()[...].text == """
                {"device_token":"\(Self.token)","reason":"Unregistered","status_code":410,\
                "invalid_since":1795000000123,"observed_at":1795000001456,"apns_id":"\(Self.apnsID)",\
                "batch_id":"campaign \\"42\\"\\n","client":"acme","lane":"parcels-production",\
                "topic":"com.example.parcels","environment":"production","class":"dead"}
                """
        )
    }

    @Test func roundTrip() throws {
        #expect(try InvalidTokenEvent(decoding: Self.dead.encoded()) == Self.dead)
        var suspect = Self.dead
        suspect.invalidSince = nil
        suspect.client = nil
        suspect.reason = ""
        suspect.environment = .sandbox
        suspect.verdict = .suspect
        #expect(try InvalidTokenEvent(decoding: suspect.encoded()) == suspect)
        #expect(!suspect.encoded()[...].text.contains("invalid_since"))
    }

    @Test func anEventOfFCMNamesItsProviderAndNoEnvironment() throws {
        var event = Self.dead
        event.provider = "fcm"
        event.deviceToken = "Token-A:1"
        event.topic = "parcels-4711"
        event.environment = nil
        let text = event.encoded()[...].text
        #expect(text.hasPrefix(#"{"device_token":"Token-A:1","provider":"fcm","#))
        #expect(!text.contains("environment"))
        #expect(try InvalidTokenEvent(decoding: event.encoded()) == event)
    }

    @Test func apnsMayBeNamed() throws {
        let text = Self.dead.encoded()[...].text
        let named = "{\"provider\":\"apns\"," + text.dropFirst()
        #expect(try InvalidTokenEvent(decoding: Array(named.utf8)) == Self.dead)
    }

    /// What APNs says in `timestamp` must never make the event unreadable.
    @Test(
        arguments: [
            (.min, nil), (-1, nil), (0, 0), (9_007_199_254_740_992, 9_007_199_254_740_992),
            (9_007_199_254_740_993, nil), (.max, nil),
        ] as [(Int64, Int64?)]
    )
    func anImplausibleTimestampIsLeftOut(timestamp: Int64, expected: Int64?) throws {
        var event = Self.dead
        event.invalidSince = timestamp
        var read = event
        read.invalidSince = expected
        #expect(try InvalidTokenEvent(decoding: event.encoded()) == read)
    }

    @Test(arguments: ["-1", "9007199254740993", "9223372036854775807"])
    func anImplausibleTimestampIsRefused(timestamp: String) {
        let body = Self.dead.encoded()[...].text
            .replacing("\"invalid_since\":1795000000123", with: "\"invalid_since\":\(timestamp)")
        #expect(throws: BodyRejection(.badValue, "invalid_since: must be a whole number from 0 to 2^53")) {
            try InvalidTokenEvent(decoding: Array(body.utf8))
        }
    }

    @Test func everyTruncationIsRefused() {
        let body = Self.dead.encoded()
        for length in 0..<body.count {
            #expect(throws: BodyRejection.self) { try InvalidTokenEvent(decoding: Array(body[..<length])) }
        }
    }

    @Test func duplicatesAndSize() {
        let twice = Self.dead.encoded().dropLast() + Array(",\"class\":\"suspect\"}".utf8)
        #expect(throws: BodyRejection(.duplicateField, "a member of the event appears twice")) {
            try InvalidTokenEvent(decoding: Array(twice))
        }
        let large = Self.dead.encoded() + [UInt8](repeating: 0x20, count: 16 << 10)
        #expect(throws: BodyRejection(.tooLarge, "the event has more than 16384 bytes")) {
            try InvalidTokenEvent(decoding: large)
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
