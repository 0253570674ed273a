import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillTLS

@testable import WaybillDeliveryLog

@Suite struct RecordEncoderTests {
    private func encode(
        _ record: DeliveryRecord,
        body: DeliveryLogOptions.Body = .full,
        tokens: DeliveryLogOptions.Tokens = .plain,
        retention: RetentionPolicy = .init(default: .days(30))
    ) -> BSONDocument {
        let options = DeliveryLogOptions(database: "test", body: body, tokens: tokens, retention: retention)
        let writer = BSONWriter()
        RecordEncoder(options: options).encode(record, into: writer)
        return writer.document
    }

    private var full: DeliveryRecord {
        DeliveryRecord(
            id: NotificationID(high: 0x0123_4567_89ab_8def, low: 0x8123_4567_89ab_cdef),
            givenID: NotificationID(high: 1, low: 2),
            fingerprint: 0xAB,
            deviceToken: Array("xx00ff".utf8)[2...],
            outcome: .rejected,
            statusCode: 429,
            reason: "TooManyRequests",
            message: Array("Grüße\u{0}!".utf8)[...],
            date: 1_790_000_000_123,
            batchID: "b-1",
            client: "acme",
            lane: "parcels",
            topic: "com.example.app",
            kind: "alert",
            priority: .normal,
            expiration: 1_795_000_000,
            maxAge: 600,
            collapseKey: .explicit(Array("order-7".utf8)[...]),
            attempts: 2,
            latencyMilliseconds: 12.345,
            queuedMilliseconds: 7,
            family: FamilyMember(first: NotificationID(high: 3, low: 4), number: 2, limit: 5, begins: 9),
            invalidSince: 1_780_000_000_456,
            isRepeat: true,
            history: [
                AttemptRecord(date: 1, status: 503, reason: "Shutdown"),
                AttemptRecord(date: 2, status: nil, reason: nil),
            ],
            waited: [LaneWait(.retryAfter, from: 3, until: 4, times: 5), LaneWait(.slow, from: 6)]
        )
    }

    private static let family = BSONDocument { family in
        family.append("first", uuid: 3, 4)
        family.append("number", int: 2)
        family.append("of", int: 5)
    }

    @Test func everyFieldHasItsNameTypeAndPlace() {
        let expected: [(String, BSONValue)] = [
            ("_id", .uuid(high: 0x0123_4567_89ab_8def, low: 0x8123_4567_89ab_cdef)),
            ("apns_id", .uuid(high: 1, low: 2)), ("content", .string("00000000000000ab")),
            ("device_token", .string("00ff")), ("outcome", .string("rejected")), ("status_code", .int(429)),
            ("reason", .string("TooManyRequests")), ("message", .string("Grüße\u{0}!")),
            ("date", .date(1_790_000_000_123)), ("day", .int(20_717)),
            ("expires_at", .date(1_790_000_000_123 + 30 * 86_400_000)),
            ("batch_id", .string("b-1")), ("client", .string("acme")), ("lane", .string("parcels")),
            ("topic", .string("com.example.app")), ("push_type", .string("alert")),
            ("priority", .int(5)), ("expiration", .int(1_795_000_000)), ("max_age", .int(600)),
            ("collapse_id", .string("order-7")),
            ("attempts", .int(2)), ("latency_ms", .double(12.345)), ("queued_ms", .int(7)),
            ("family", .document(Self.family)),
            ("invalid_since", .date(1_780_000_000_456)), ("repeat", .bool(true)),
        ]
        let fields = encode(full).fields
        #expect(fields.map(\.key) == expected.map(\.0) + ["history", "waited"])
        for (field, (key, value)) in zip(fields, expected) { #expect(field.value == value, "\(key)") }
        let waited = fields.last?.value.elements?.compactMap(\.document) ?? []
        #expect(waited.first?.fields.map(\.key) == ["reason", "from", "until", "times"])
        #expect(waited.first?.fields.map(\.value) == [.string("retry_after"), .date(3), .date(4), .int(5)])
        #expect(waited.last?.fields.map(\.key) == ["reason", "from", "times"])
        #expect(LoggedDelivery(document: encode(full)).waited == full.waited)
        let family = LoggedDelivery(document: encode(full)).family
        #expect(family?.first == full.family?.first && family?.number == 2 && family?.limit == 5)
        let history = fields.dropLast().last?.value.elements?.compactMap(\.document) ?? []
        #expect(history.first?.fields.map(\.key) == ["date", "status_code", "reason"])
        #expect(history.first?.fields.map(\.value) == [.date(1), .int(503), .string("Shutdown")])
        #expect(history.last?.fields.map(\.value) == [.date(2)])
    }

    @Test func whatIsAbsentHasNoField() {
        let record = DeliveryRecord(
            id: NotificationID(high: 1, low: 2),
            deviceToken: nil,
            outcome: .invalid,
            date: 3,
            batchID: "b",
            lane: "l"
        )
        let keys = encode(record, retention: .init(default: .keep)).fields.map(\.key)
        #expect(keys == ["_id", "outcome", "date", "day", "batch_id", "lane", "attempts"])
    }

    @Test func aDigestOfTheCollapseIDIsItsSixtyFourDigits() {
        var record = full
        let digest = SHA256Hasher.digest(of: Array("x".utf8))
        record.collapseKey = .digest(digest)
        #expect(encode(record)["collapse_id"] == .string(digest.hexadecimal))
        #expect(digest.hexadecimal.utf8.count == 64)
    }

    @Test func theBodyIsKeptAsFarAsTheOperatorSays() {
        #expect(encode(full, body: .none)["message"] == nil)
        var record = full
        record.message = Array("abc".utf8)[...]
        // FIPS 180-4's own example.
        let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(encode(record, body: .digest)["message"] == .string(digest))
    }

    @Test func aTokenIsKeptAsAKeyedDigestWhereTheOperatorSaysSo() {
        // RFC 4231, test case 2, with its data in the place of the token.
        var record = full
        record.deviceToken = Array("what do ya want for nothing?".utf8)[...]
        let stored = encode(record, tokens: .digest(key: Array("Jefe".utf8)))["device_token"]
        #expect(stored == .string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }

    @Test(
        arguments: [("acme", 90 as Int64?), ("contoso", nil), ("initech", 30), ("unknown", nil), (nil, 30)]
            as [(String?, Int64?)]
    )
    func retentionIsTheClients(client: String?, days: Int64?) {
        let retention = RetentionPolicy(
            default: .days(30),
            clients: ["acme": .days(90), "contoso": .keep],
            otherClients: ["initech"]
        )
        var record = full
        record.client = client
        let expected = days.map { BSONValue.date(record.date + $0 * 86_400_000) }
        #expect(encode(record, retention: retention)["expires_at"] == expected)
    }
}
