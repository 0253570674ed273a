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
}
