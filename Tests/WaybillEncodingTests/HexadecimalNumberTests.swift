import Testing
import WaybillEncoding

@Suite("Numbers as hexadecimal digits")
struct HexadecimalNumberTests {
    private func text(_ number: UInt64) -> String {
        var bytes = Array(repeating: UInt8(ascii: "#"), count: 18)
        bytes.withUnsafeMutableBytes { Hexadecimal.write(number, to: $0, at: 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "Sixteen digits, and nothing beside them",
        arguments: [0, 1, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .max]
    )
    func known(number: UInt64) {
        let digits = String(number, radix: 16)
        #expect(text(number) == "#" + String(repeating: "0", count: 16 - digits.count) + digits + "#")
    }

    @Test("Each digit at each place")
    func eachDigit() {
        for place in 0..<16 {
            for value in UInt64(0)...15 {
                let number = value << UInt64(4 * place)
                let digits = String(number, radix: 16)
                #expect(text(number) == "#" + String(repeating: "0", count: 16 - digits.count) + digits + "#")
            }
        }
    }
}
