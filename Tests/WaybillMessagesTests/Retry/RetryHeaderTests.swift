import Testing
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
