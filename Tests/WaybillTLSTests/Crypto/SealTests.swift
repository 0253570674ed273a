import Testing

@testable import WaybillTLS

struct SealTests {
    private static let key = (0..<32).map { UInt8($0) }
    private let seal = Seal(key: key, purpose: "test")

    @Test(arguments: [0, 1, 15, 62, 63, 64, 65, 127, 500])
    func whatIsClosedIsOpened(count: Int) throws {
        for byte: UInt8 in [0, 1, 77] {
            let content = [UInt8](repeating: byte, count: count)
            let sealed = seal.close(content)
            #expect(seal.open(sealed) == content)
            #expect(sealed.count == 16 + (count / 64 + 1) * 64)
            #expect(sealed == seal.close(content))
        }
    }

    @Test func nothingElseIsOpened() {
        let sealed = seal.close(Array("where the next page begins".utf8))
        for place in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[place] ^= 1 << bit
                #expect(seal.open(changed) == nil)
            }
        }
        for count in 0..<sealed.count { #expect(seal.open(Array(sealed[..<count])) == nil) }
        #expect(seal.open(sealed + sealed) == nil)
        #expect(Seal(key: Self.key, purpose: "another").open(sealed) == nil)
        #expect(Seal(key: Self.key.reversed(), purpose: "test").open(sealed) == nil)
    }

    @Test func nothingShows() {
        let content = Array("where the next page begins".utf8)
        let sealed = seal.close(content)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: content.prefix(3)) })
        // A change at the end changes all of it.
        let other = seal.close(content.dropLast() + [0])
        #expect(zip(sealed, other).count { $0 == $1 } < 20)
    }
}
