import Testing
import WaybillAPNS
import WaybillCore

/// Two notifications of a message never have one id: it is the key of their records.
struct SharedIDTests {
    private static let reason = "apns_id: an earlier notification of the message has the same"

    /// The id that the notification at a position derives when it has none of its own.
    private static func derived(_ position: Int) -> APNSID {
        var identity = NotificationIdentity(batchID: "m", milliseconds: nil)
        return identity.id(at: position)
    }

    /// One notification for each entry: `nil` gives it no id.
    private static func decode(_ ids: [APNSID?], retry: RetryHeader? = nil) throws -> [Batch.Item] {
        let items = ids.map { id in
            "{\"device_token\":\"0f\",\"message\":\"x\"" + (id.map { ",\"apns_id\":\"\($0)\"}" } ?? "}")
        }
        let body = "[\(items.joined(separator: ","))]"
        return try Samples.decode(body, MessageProperties(messageID: "m", retry: retry)).items
    }

    private static func id(of item: Batch.Item) -> APNSID? { item.valid?.apnsID ?? item.invalid?.apnsID }

    /// The notification at `position` gives the id that the one at `other` derives.
    @Test(
        arguments: [
            (position: 0, other: 1, invalid: 1), (position: 1, other: 0, invalid: 1),
            (position: 0, other: 2, invalid: 2), (position: 2, other: 0, invalid: 2),
            (position: 1, other: 2, invalid: 2), (position: 2, other: 1, invalid: 2),
            // Its own, or nobody's.
            (position: 1, other: 1, invalid: nil), (position: 0, other: 3, invalid: nil),
        ] as [(position: Int, other: Int, invalid: Int?)]
    )
    func aGivenIDThatAnotherDerives(position: Int, other: Int, invalid: Int?) throws {
        var ids: [APNSID?] = [nil, nil, nil]
        ids[position] = Self.derived(other)
        let items = try Self.decode(ids)
        let reasons: [String?] = (0..<3).map { $0 == invalid ? Self.reason : nil }
        #expect(items.map { $0.invalid?.reason } == reasons)
        for number in 0..<3 where number != invalid {
            let expected = ids[number] ?? Self.derived(number)
            #expect(items[number].valid?.apnsID == expected)
        }
        #expect(Set(items.map(Self.id)).count == 3)
        // A redelivery finds the records.
        #expect(try Self.decode(ids).map(Self.id) == items.map(Self.id))
    }

    /// A refused notification's own derived id may be taken as well.
    @Test func manyThatShare() throws {
        let given = Self.derived(100)
        let items = try Self.decode([given, Self.derived(2), given, given, nil, Self.derived(3)])
        #expect(items.map { $0.valid != nil } == [true, true, false, false, true, false])
        for item in items { #expect(item.valid != nil || item.invalid?.reason == Self.reason) }
        #expect(Self.id(of: items[3]) == Self.derived(3))
        #expect(Set(items.map(Self.id)).count == 6)
    }

    /// What is invalid for another reason keeps that, and has a record of its own.
    @Test func anInvalidNotificationHasAnIDToo() throws {
        let body = """
            [{"device_token":"zz","message":"x"},{"device_token":"0f","message":"x","apns_id":"\(Self.derived(0))"},
            {"device_token":"zz","message":"x","apns_id":"\(Self.derived(0))"}]
            """
        let items = try Samples.decode(body, MessageProperties(messageID: "m")).items
        #expect(items[0].invalid?.apnsID == Self.derived(0))
        #expect(items[1].invalid?.reason == Self.reason)
        #expect(items[2].invalid?.reason.hasPrefix("device_token: ") == true)
        #expect(items.compactMap(Self.id) == (0..<3).map(Self.derived))
    }

    /// In a delayed retry the positions are those of the first message.
    @Test func aPartOfAMessage() throws {
        let header = RetryHeader(attempt: 2, indexes: [5, 9])
        let items = try Self.decode([Self.derived(9), nil], retry: header)
        #expect(items[0].valid?.apnsID == Self.derived(9))
        #expect(items[1].invalid?.reason == Self.reason)
        #expect(try Self.decode([Self.derived(1), nil], retry: header).allSatisfy { $0.valid != nil })
    }
}
