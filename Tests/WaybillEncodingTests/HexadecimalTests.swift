import Testing
import WaybillEncoding

@Suite("Hexadecimal text")
struct HexadecimalTests {
    private static let digits = Set("0123456789abcdefABCDEF".utf8)

    @Test("Every byte is judged alike at every place", arguments: [1, 7, 8, 9, 16, 31, 64])
    func everyByteAtEveryPlace(count: Int) {
        for place in 0..<count {
            for byte in UInt8.min...UInt8.max {
                var text = Array(repeating: UInt8(ascii: "7"), count: count)
                text[place] = byte
                let scan = text.withUnsafeBytes(Hexadecimal.scan)
                #expect(scan.isHexadecimal == Self.digits.contains(byte), "\(byte) at \(place) of \(count)")
                if scan.isHexadecimal {
                    #expect(scan.hasCapitals == (UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte))
                }
            }
        }
    }

    @Test("Nothing is hexadecimal, and has no capitals")
    func nothing() {
        let scan = [UInt8]().withUnsafeBytes(Hexadecimal.scan)
        #expect(scan == Hexadecimal.Scan(isHexadecimal: true, hasCapitals: false))
    }

    @Test(
        "Bytes there and back",
        arguments: [([], ""), ([0x00], "00"), ([0x0F, 0xF0], "0ff0"), ([0xDE, 0xAD, 0xBE, 0xEF], "deadbeef")]
            as [([UInt8], String)]
    )
    func bytes(bytes: [UInt8], text: String) {
        #expect(Hexadecimal.text(of: bytes) == text)
        #expect(Hexadecimal.bytes(of: text) == bytes)
        #expect(Hexadecimal.bytes(of: text.uppercased()) == bytes)
    }

    @Test("What are no bytes", arguments: ["0", "000", "0g", " 00", "+1", "٣٣", "é"])
    func noBytes(text: String) {
        #expect(Hexadecimal.bytes(of: text) == nil)
    }
}
