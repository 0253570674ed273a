import Testing
import WaybillCore
import WaybillProviders

/// Two notifications of a message never have one id: it is the key of their records.
struct SharedIDTests {
    private static let sameReason = "apns_id: an earlier notification of the message has the same"
    private static let derivedReason =
        "apns_id: must not be a UUID of version 8, as Waybill makes them: give a random one, or none"
    private static let identity = MessageIdentity(milliseconds: nil, digest: MessageDigest(high: 7, low: .max))
    private static let given = [NotificationID(high: 1, low: 1), NotificationID(high: 2, low: 2)]

    /// One notification for each entry: `nil` gives it no id.
    ///
    /// As a delayed retry: only there can anybody know what the message derives.
    private static func decode(_ ids: [NotificationID?], indexes: [Int]? = nil) throws -> [Batch.Item] {
        let items = ids.map { id in
            "{\"device_token\":\"0f\",\"message\":\"x\"" + (id.map { ",\"apns_id\":\"\($0)\"}" } ?? "}")
        }
        let header = RetryHeader(attempt: 2, indexes: indexes ?? Array(ids.indices), identity: identity)
        return try Samples.decode("[\(items.joined(separator: ","))]", MessageProperties(retry: header)).items
    }

    private static func id(of item: Batch.Item) -> NotificationID? { item.valid?.id ?? item.invalid?.id }

    /// A given id in the message's own range, whoever derives it; those of other messages are refused alike.
    @Test(arguments: [0, 1, 2, 3, 99_999, MessageIdentity.positionCount - 1], [0, 1, 2])
    func aGivenIDThatTheMessageDerives(other: Int, position: Int) throws {
        for taken in [Self.identity.id(at: other), Self.identity.spareID(at: other)] {
            var ids: [NotificationID?] = [nil, nil, nil]
            ids[position] = taken
            let items = try Self.decode(ids)
            #expect(items.map { $0.invalid?.reason } == (0..<3).map { $0 == position ? Self.derivedReason : nil })
            #expect(items.map(Self.id) == (0..<3).map(Self.identity.id(at:)))
            // Nor is it found under that id, which may be another's.
            #expect(items[position].invalid?.givenID == nil)
        }
    }

    @Test func aGivenIDThatAnotherMessageDerives() throws {
        let other = MessageIdentity(milliseconds: 1_795_769_471_384, digest: MessageDigest(high: 9, low: 9))
        let random = try #require(NotificationID("6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60"))
        // The version alone does not make it one of ours: the variant is of another kind.
        let legacy = try #require(NotificationID("6f0c2d4e-8f3b-8c1a-0b7e-2d5f8a1c3e60"))
        let items = try Self.decode([other.id(at: 0), other.spareID(at: 0), random, legacy])
        #expect(items.map { $0.invalid?.reason } == [Self.derivedReason, Self.derivedReason, nil, nil])
    }

    @Test func manyThatShare() throws {
        let items = try Self.decode([Self.given[0], nil, Self.given[0], Self.given[1], Self.given[0], Self.given[1]])
        #expect(items.map { $0.valid != nil } == [true, true, false, true, false, false])
        for item in items { #expect(item.valid != nil || item.invalid?.reason == Self.sameReason) }
        let derived = (0..<6).map(Self.identity.id(at:))
        #expect(items.map(Self.id) == [Self.given[0], derived[1], derived[2], Self.given[1], derived[4], derived[5]])
    }

    /// What is invalid for another reason keeps that; every invalid one is recorded under its derived id.
    @Test func anInvalidNotificationLeavesItsGivenIDToOthers() throws {
        let body = """
            [{"device_token":"zz","message":"x"},{"device_token":"zz","message":"x","apns_id":"\(Self.given[0])"},
            {"device_token":"0f","message":"x","apns_id":"\(Self.given[0])"},
            {"device_token":"0f","message":"x","apns_id":"7"}]
            """
        let batch = try Samples.decode(body, MessageProperties(messageID: "m"))
        #expect(batch.hasGivenIDs)
        #expect(batch.items.map { $0.invalid != nil } == [true, true, true, true])
        #expect(batch.items.map(Self.id) == (0..<4).map(batch.identity.id(at:)))
        #expect(batch.items.map { $0.invalid?.givenID } == [nil, Self.given[0], Self.given[0], nil])
        #expect(batch.items[1].invalid?.reason.hasPrefix("device_token: ") == true)
        #expect(batch.items[2].invalid?.reason == Self.sameReason)
    }

    /// In a delayed retry the positions are those of the first message.
    @Test func aPartOfAMessage() throws {
        let items = try Self.decode([Self.identity.id(at: 1), nil, Self.given[0]], indexes: [5, 9, 11])
        #expect(items[0].invalid?.reason == Self.derivedReason)
        #expect(items.map(Self.id) == [Self.identity.id(at: 5), Self.identity.id(at: 9), Self.given[0]])
    }

    /// What a notification with a given id is about: any change of token, content, topic or push type shows.
    @Test func fingerprints() throws {
        func fingerprint(_ token: String, _ rest: String) throws -> UInt64? {
            let body = "[{\"device_token\":\"\(token)\",\"apns_id\":\"\(Self.given[0])\",\(rest)}]"
            return try Samples.decode(body).items[0].valid?.fingerprint
        }
        func fingerprint(ofClient client: String) throws -> UInt64? {
            let item = "{\"device_token\":\"0f\",\"apns_id\":\"\(Self.given[0])\",\"message\":\"x\"}"
            let body = "{\"client\":\"\(client)\",\"notifications\":[\(item)]}"
            return try Samples.decode(body).items[0].valid?.fingerprint
        }
        let first = try #require(try fingerprint("0f", "\"message\":\"x\""))
        #expect(try fingerprint("0F", "\"message\":\"x\",\"priority\":5,\"expiration\":7") == first)
        let others = try [
            fingerprint("1f", "\"message\":\"x\""), fingerprint("0f", "\"message\":\"y\""),
            fingerprint("0f", "\"message\":\"x\",\"badge\":1"), fingerprint("0f", "\"message\":\"x\",\"topic\":\"t\""),
            fingerprint("0f", "\"message\":\"x\",\"push_type\":\"mdm\",\"topic\":\"com.example.parcels\""),
            fingerprint(ofClient: "acme"), fingerprint(ofClient: "contoso"),
        ]
        #expect(Set(others + [first]).count == 8)
        #expect(try Samples.decode("[{\"device_token\":\"0f\",\"message\":\"x\"}]").items[0].valid?.fingerprint == nil)
    }
}
