import Testing

@testable import WaybillCompression

struct GzipTests {
    private let sample = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func bytesComeBackUpToExactlyTheLimit(count: Int) throws {
        let bytes = Array(sample.prefix(count))
        let packed = try Gzip.deflate(bytes)
        #expect(try Gzip.inflate(packed, limit: count) == bytes)
        #expect(try Gzip.inflate(packed, limit: 1 << 20) == bytes)
        if count > 0 { #expect(throws: GzipError.tooLarge) { try Gzip.inflate(packed, limit: count - 1) } }
    }

    @Test func aBombStopsAtTheLimit() throws {
        let bomb = try Gzip.deflate([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        #expect(throws: GzipError.tooLarge) { try Gzip.inflate(bomb, limit: 1 << 20) }
    }

    @Test func severalMembersAreOneStream() throws {
        let packed = try Gzip.deflate([1, 2]) + Gzip.deflate([]) + Gzip.deflate([3])
        #expect(try Gzip.inflate(packed, limit: 10) == [1, 2, 3])
    }

    @Test func damageIsNoticed() throws {
        let packed = try Gzip.deflate(sample)
        for count in [0, 1, 9, packed.count / 2, packed.count - 1] {
            #expect(throws: GzipError.truncated) { try Gzip.inflate(Array(packed.prefix(count)), limit: 1 << 20) }
        }
        var damaged = packed
        damaged[packed.count - 6] ^= 0xFF
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(damaged, limit: 1 << 20) }
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(Array("plain text".utf8), limit: 1 << 20) }
        #expect(throws: GzipError.self) { try Gzip.inflate(packed + [1, 2, 3], limit: 1 << 20) }
    }
}
