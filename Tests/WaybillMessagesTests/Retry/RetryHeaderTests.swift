import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages

/// What a retry's headers say is read as it was written, and nothing else is read.
struct RetryHeaderTests {
    @Test(arguments: [
        "", ",", "1,", ",1", "1,,2", "2,1", "1,1", "-1", "+1", "1 ,2", "a", "524288", "99999999999999999999",
    ])
    func unreadableHeaders(items: String) {
        #expect(Self.read(2, items) == nil)
    }

    @Test func headers() {
        #expect(Self.read(2, "0,5,17") == Self.header(2, [0, 5, 17]))
        #expect(Self.read(2, "524287") == Self.header(2, [524_287]))
        #expect(Self.read(0, "0") == nil)
        #expect(Self.read(2, "0", digest: "x") == nil)
        #expect(Self.read(2, "0", milliseconds: -1) == nil)
        #expect(Self.read(2, "0", milliseconds: 1 << 48) == nil)
        #expect(Self.read(2, "0", milliseconds: 0)?.identity.milliseconds == 0)
        #expect(Self.header(3, [0, 5, 17]).itemsText == "0,5,17")
    }

    @Test(arguments: [1, 2, 1_000_000_000], [[0], [0, 5, 17], [524_287]])
    func roundTrip(attempt: Int, indexes: [Int]) throws {
        for milliseconds in [nil, 0, 1_795_000_000_000, (1 << 48) - 1] as [UInt64?] {
            var header = Self.header(attempt, indexes)
            header.identity = MessageIdentity(milliseconds: milliseconds, digest: Self.digest)
            for isCopy in [false, true] {
                let origin = RetryMessage.Origin(messageID: "m", timestamp: 5, firstSeen: 7, producer: "acme-app")
                let properties = RetryMessage.properties(header, origin: origin, isCopy: isCopy)
                #expect(try RetryMessage.header(in: properties) == header)
                #expect(RetryMessage.firstSeen(in: properties) == 7)
                #expect(RetryMessage.producer(in: properties) == "acme-app")
                #expect(RetryMessage.isCopy(properties) == isCopy)
            }
        }
    }

    /// Of a repeat, which says whose.
    @Test func aRepeatNamesItsFamily() throws {
        let family = FamilyMember(
            first: NotificationID(high: 1, low: 2),
            number: 2,
            limit: 5,
            begins: 1_795_000_000_000
        )
        var header = Self.header(1, [0])
        header.family = family
        let origin = RetryMessage.Origin(messageID: nil, timestamp: nil, firstSeen: 7, producer: nil)
        var properties = RetryMessage.properties(header, origin: origin, isCopy: false)
        #expect(try RetryMessage.header(in: properties) == header)
        #expect(family.headerText == "00000000-0000-0001-0000-000000000002/2/5/1795000000000")
        for text in ["", "x", "1/2/5/7"] + Self.unreadableFamilies {
            properties.headers.removeAll { $0.name == MessageHeader.family.rawValue }
            properties.append(.family, .string(text))
            #expect(throws: BodyRejection(.badRetryHeader, "x-waybill-family cannot be read"), "\(text)") {
                try RetryMessage.header(in: properties)
            }
        }
    }

    /// A number beyond the limit, a limit beyond the most, a time before 1970, something behind it.
    private static let unreadableFamilies = ["6/5/7", "0/5/7", "1/21/7", "1/5/-7", "1/5/7/8", "1/5"].map {
        "00000000-0000-0001-0000-000000000002/\($0)"
    }

    private static let digest = MessageDigest(high: 1, low: 2)

    private static func header(_ attempt: Int, _ indexes: [Int]) -> RetryHeader {
        RetryHeader(
            attempt: attempt,
            indexes: indexes,
            identity: MessageIdentity(milliseconds: nil, digest: digest)
        )
    }

    private static func read(
        _ attempt: Int,
        _ items: String,
        digest: String = Self.digest.hexadecimal,
        milliseconds: Int64? = nil
    ) -> RetryHeader? {
        RetryHeader(attempt: attempt, itemsText: items, digestText: digest, milliseconds: milliseconds)
    }
}
